//go:build unix

package cellcmd

import (
	"bytes"
	"encoding/json"
	"errors"
	"flag"
	"io"
	"net"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"
	"github.com/spf13/cobra"
	"github.com/stretchr/testify/require"

	"github.com/chubbycell/chubby/internal/cli"
	"github.com/chubbycell/chubby/internal/schema"
	"github.com/chubbycell/chubby/internal/transport/dnstest"
)

// wait bounds what a test waits for.
const wait = 30 * time.Second

// TestMain makes the program chubby of this test binary, with the commands of the package.
func TestMain(m *testing.M) {
	if filepath.Base(os.Args[0]) != "chubby" {
		heedSignals()
	}
	testscript.Main(m, map[string]func(){"chubby": func() {
		if at := os.Getenv("CHUBBY_TEST_DNS"); at != "" {
			net.DefaultResolver = dnstest.Resolver(at)
		}
		if os.Getenv(asResident) != "" {
			reside()
		}
		cli.Main(tree())
	}})
}

// tree is the program chubby with the commands of the package.
func tree() *cobra.Command {
	root := cli.Root("chubby", "test", "test")
	root.AddCommand(Commands()...)
	root.AddCommand(cli.Group("backup", "test", BackupCommand()))
	return root
}

// heedSignals has the processes of tests begin with the signals that they are sent, also where this one was
// told to ignore them, as by nohup: what has a handler here is as usual there.
func heedSignals() {
	for _, s := range []os.Signal{syscall.SIGHUP, syscall.SIGINT} {
		if signal.Ignored(s) {
			signal.Notify(make(chan os.Signal, 1), s)
		}
	}
}

// process is a program that runs, and what it has printed.
type process struct {
	*exec.Cmd
	mu       sync.Mutex
	out, err bytes.Buffer
	done     chan struct{}
}

// tap is one of the outputs of a process.
type tap struct {
	p  *process
	to *bytes.Buffer
}

func (t tap) Write(b []byte) (int, error) {
	t.p.mu.Lock()
	defer t.p.mu.Unlock()
	return t.to.Write(b)
}

func (p *process) text() (out, err string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.out.String(), p.err.String()
}

// start starts chubby with the environment of this test.
func start(t *testing.T, args ...string) *process {
	t.Helper()
	return startWith(t, func(*exec.Cmd) {}, args...)
}

// startWith starts chubby with other attributes.
func startWith(t *testing.T, set func(*exec.Cmd), args ...string) *process {
	t.Helper()
	p := &process{Cmd: exec.Command("chubby", args...), done: make(chan struct{})}
	p.Env = append(os.Environ(), "TMPDIR="+t.TempDir()) // a cell that is killed leaves its files behind
	p.Stdout, p.Stderr = tap{p, &p.out}, tap{p, &p.err}
	set(p.Cmd)
	require.NoError(t, p.Start())
	go func() {
		_ = p.Wait() // the state says more
		close(p.done)
	}()
	t.Cleanup(func() {
		_ = p.Process.Signal(syscall.SIGCONT)
		_ = p.Process.Kill()
		<-p.done
	})
	return p
}

// says waits until the process has printed something.
func (p *process) says(t *testing.T, pattern string) {
	t.Helper()
	re := regexp.MustCompile(pattern)
	defer func() {
		if t.Failed() {
			out, err := p.text()
			t.Logf("it says %q and %q", out, err)
		}
	}()
	require.Eventually(t, func() bool {
		out, err := p.text() // a terminal may hand over the last of it after the end
		return re.MatchString(out) || re.MatchString(err)
	}, wait, time.Millisecond, "%s is missing", pattern)
}

// ends waits for the end, and returns the exit code.
func (p *process) ends(t *testing.T) int {
	t.Helper()
	select {
	case <-p.done:
	case <-time.After(wait):
		out, err := p.text()
		require.FailNow(t, "it goes on", "%s\n%s", out, err)
	}
	return p.ProcessState.ExitCode()
}

// run runs chubby to its end.
func run(t *testing.T, args ...string) (code int, out, err string) {
	t.Helper()
	p := start(t, args...)
	code = p.ends(t)
	out, err = p.text()
	return code, out, err
}

// startDev starts a cell, and waits until it is ready. The file is its cell file.
func startDev(t *testing.T, args ...string) (p *process, file string) {
	t.Helper()
	file = filepath.Join(t.TempDir(), "cell.json")
	p = start(t, append([]string{"dev", "--replicas", "3", "--file", file}, args...)...)
	p.says(t, "Ctrl-C stops it")
	return p, file
}

// TestScripts runs the scripts of testdata against one cell. In a script, chubby calls that
// cell, until FILE PATTERN waits until a file has a line, and schema NAME FILE wants documents
// of a kind in a file, or without it in stdout.
func TestScripts(t *testing.T) {
	t.Parallel()
	p, file := startDev(t)
	t.Run("scripts", func(t *testing.T) {
		testscript.Run(t, testscript.Params{
			Dir: "testdata/scripts",
			Setup: func(e *testscript.Env) error {
				e.Setenv("CHUBBY_CELL", file)
				e.Values[ofScript{}] = e.T().(testing.TB)
				return startResident(e)
			},
			Cmds: map[string]func(*testscript.TestScript, bool, []string){"until": until, "exits": exits, "schema": isOfSchema},
		})
	})
	require.NoError(t, p.Process.Signal(syscall.SIGTERM))
	require.Equal(t, cli.ExitClean, p.ends(t))
}

func until(ts *testscript.TestScript, _ bool, args []string) {
	name, re := ts.MkAbs(args[0]), regexp.MustCompile(args[1])
	poll := time.NewTicker(time.Millisecond) // the file is written by another process
	defer poll.Stop()
	for end := time.Now().Add(wait); ; <-poll.C {
		text, err := os.ReadFile(name)
		if err == nil && re.Match(text) {
			return
		}
		if time.Now().After(end) {
			ts.Fatalf("%s has no %s; it holds %q", args[0], args[1], text)
		}
	}
}

var whole = flag.Bool("whole", false, "start a process for each command of a script, as .ci/run does")

// exits runs a command and wants an exit code: exits CODE COMMAND ARG... What chubby itself does is done by the resident,
// unless -whole is set; lock, which starts programs and takes signals, is a process, as is each command of exec.
func exits(ts *testscript.TestScript, _ bool, args []string) {
	got := "0"
	if args[1] == "chubby" && args[2] != "lock" && !*whole {
		got = strconv.Itoa(ts.Value(ofResident{}).(*resident).run(ts, args[2:]))
	} else if err := ts.Exec(args[1], args[2:]...); err != nil {
		got = regexp.MustCompile(`\d+`).FindString(err.Error())
	}
	if got != args[0] {
		ts.Fatalf("exit code %s, not %s", got, args[0])
	}
}

// ofScript is the key of the test that a script is.
type ofScript struct{}

// isOfSchema wants one document or more, each of the kind that is named and as its schema describes it.
func isOfSchema(ts *testscript.TestScript, _ bool, args []string) {
	t := ts.Value(ofScript{}).(testing.TB)
	from := "stdout"
	if len(args) > 1 {
		from = args[1]
	}
	documents := json.NewDecoder(strings.NewReader(ts.ReadFile(from)))
	for n := 0; ; n++ {
		var text json.RawMessage
		err := documents.Decode(&text)
		if n > 0 && errors.Is(err, io.EOF) {
			return
		}
		ts.Check(err)
		if got := schema.Accept(t, project, text); got != args[0] {
			ts.Fatalf("a document of %s, not of %s", got, args[0])
		}
	}
}
