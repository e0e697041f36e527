//go:build unix

package upgrade

import (
	"bytes"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/chubbycell/chubby/internal/overlay"
)

const root = "../.."

var whole = flag.Bool("whole", false, "build the next program and upgrade a cell of processes: a minute or more")

// The next program can be made of the tree.
func TestTheEditsFitTheTree(t *testing.T) {
	changed, err := Next(root)
	require.NoError(t, err)
	require.Len(t, changed, 5)
	require.Contains(t, changed["replica/core/limits.go"], "command.AppendNext")
}

// wait bounds what the test waits for.
const wait = time.Minute

// cell is three replicas as processes, each of which runs one of the two programs.
type cell struct {
	t        *testing.T
	dir      string
	file     string // the cell file
	old, new string // the programs
	replicas [4]*exec.Cmd
}

func build(t *testing.T, out string, args ...string) {
	t.Helper()
	cmd := exec.Command("go", append(append([]string{"build"}, args...), "-o", out, "./cmd/chubby")...)
	cmd.Dir = root
	said, err := cmd.CombinedOutput()
	require.NoError(t, err, "%s", said)
}

func freeAddr(t *testing.T) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	defer l.Close()
	return l.Addr().String()
}

func newCell(t *testing.T) *cell {
	t.Helper()
	dir := t.TempDir()
	c := &cell{t: t, dir: dir, file: filepath.Join(dir, "cell.json"), old: filepath.Join(dir, "old"), new: filepath.Join(dir, "new")}
	build(t, c.old)
	changed, err := Next(root)
	require.NoError(t, err)
	list, err := overlay.Write(root, filepath.Join(dir, "overlay"), changed)
	require.NoError(t, err)
	build(t, c.new, "-overlay", list)

	members, clients := "", map[string]string{}
	for id := 1; id <= 3; id++ {
		members += fmt.Sprintf("  %d: %s\n", id, freeAddr(t))
		clients[fmt.Sprint(id)] = freeAddr(t)
	}
	for id := 1; id <= 3; id++ {
		text := fmt.Sprintf("cell: up\nid: %d\nmembers:\n%sdir: %s\nlisten_clients: %s\n", id, members, filepath.Join(dir, fmt.Sprint(id)), clients[fmt.Sprint(id)])
		require.NoError(t, os.WriteFile(c.config(id), []byte(text), 0o600))
	}
	text, err := json.Marshal(map[string]any{"cell": "up", "replicas": clients})
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(c.file, text, 0o600))
	return c
}

func (c *cell) config(id int) string { return filepath.Join(c.dir, fmt.Sprint(id, ".yaml")) }

func (c *cell) log(id int) string { return filepath.Join(c.dir, fmt.Sprint(id, ".log")) }

// start starts a process that ends with the test at the latest; what it prints goes to a file.
func (c *cell) start(out, program string, args ...string) *exec.Cmd {
	c.t.Helper()
	log, err := os.OpenFile(out, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	require.NoError(c.t, err)
	defer log.Close()
	p := exec.Command(program, args...)
	p.Stdout, p.Stderr = log, log
	require.NoError(c.t, p.Start())
	c.t.Cleanup(func() {
		_ = p.Process.Kill()
		_ = p.Wait()
	})
	return p
}

// serve starts a replica with a program, for the first time if it is founded.
func (c *cell) serve(id int, program string, founds bool) {
	c.t.Helper()
	args := []string{"serve", "--config", c.config(id)}
	if founds {
		args = append(args, "--bootstrap")
	}
	c.replicas[id] = c.start(c.log(id), program, args...)
}

func (c *cell) stop(id int) {
	c.t.Helper()
	require.NoError(c.t, c.replicas[id].Process.Signal(syscall.SIGTERM))
	require.NoError(c.t, c.replicas[id].Wait(), "replica %d", id)
}

// run runs a command of a client to its end.
func (c *cell) run(program string, args ...string) (out string, err error) {
	cmd := exec.Command(program, append(args, "--cell", c.file, "--timeout", "30s")...)
	said, err := cmd.Output()
	if exit := (*exec.ExitError)(nil); errors.As(err, &exit) {
		err = fmt.Errorf("%s %s: %w: %s", filepath.Base(program), strings.Join(args, " "), err, exit.Stderr)
	}
	return string(said), err
}

// member is a line of chubby members.
type member struct {
	ID       int    `json:"id"`
	Error    string `json:"error"`
	Serving  bool   `json:"serving"`
	Applied  uint64 `json:"applied_slot"`
	Commands int    `json:"commands_in_use"`
	Program  struct {
		Commands, Peers, Clients struct{ Newest int }
	} `json:"program"`
}

// members returns what the members say; while none answers, it is their errors.
func (c *cell) members() (all []member) {
	c.t.Helper()
	out, err := c.run(c.new, "members", "-o", "json")
	var list struct{ Members []member }
	require.NoError(c.t, json.Unmarshal([]byte(out), &list), "%s; %v", out, err)
	return list.Members
}

// await waits until all members answer and are as a test wants it.
func (c *cell) await(what string, is func(all []member) bool) {
	c.t.Helper()
	var all []member
	for end := time.Now().Add(wait); time.Now().Before(end); { // each look is a process of its own
		all = c.members()
		sound := len(all) == 3
		for _, m := range all {
			sound = sound && m.Error == ""
		}
		if sound && is(all) {
			return
		}
	}
	c.t.Fatalf("not after %v: %s; the members: %+v", wait, what, all)
}

// upgraded counts the members that run the next program.
func upgraded(all []member) (n int) {
	for _, m := range all {
		if m.Program.Commands.Newest == 4 {
			n++
		}
	}
	return n
}

// lead has a replica become the master: others that are have to resign until it is.
func (c *cell) lead(id int) {
	c.t.Helper()
	for end := time.Now().Add(2 * wait); time.Now().Before(end); {
		all := c.members()
		if all[id-1].Serving {
			return
		}
		if slices.ContainsFunc(all, func(m member) bool { return m.Serving }) {
			_, _ = c.run(c.new, "members", "resign") // it is refused where another one has just become master
		}
	}
	c.t.Fatalf("replica %d has not become the master", id)
}

// limit has a client of a program set a limit. The command that does not wait for a master is tried again.
func (c *cell) limit(program string, sessions int) {
	c.t.Helper()
	var err error
	for end := time.Now().Add(wait); time.Now().Before(end); {
		if _, err = c.run(program, "limits", "set", fmt.Sprint("sessions=", sessions)); err == nil || !strings.Contains(err.Error(), "nothing was changed") {
			break
		}
	}
	require.NoError(c.t, err)
}

// lockGeneration reads the generation of the lock that the holder of a program has or waits for. It is 0 if there is none.
func (c *cell) lockGeneration(program string) uint64 {
	out, err := c.run(c.old, "stat", "/held-by-"+filepath.Base(program), "-o", "json")
	if err != nil {
		return 0
	}
	var stat struct {
		Generation uint64 `json:"lock_generation"`
	}
	require.NoError(c.t, json.Unmarshal([]byte(out), &stat))
	return stat.Generation
}

// isMarked reports whether a log has the new command of the next program.
func (c *cell) isMarked() (is bool) {
	c.t.Helper()
	files, err := filepath.Glob(filepath.Join(c.dir, "[123]", "*"))
	require.NoError(c.t, err)
	require.NotEmpty(c.t, files)
	for _, dir := range []string{"1", "2", "3"} {
		require.NoError(c.t, filepath.WalkDir(filepath.Join(c.dir, dir), func(path string, d os.DirEntry, err error) error {
			if err != nil || d.IsDir() {
				return err
			}
			text, err := os.ReadFile(path)
			if os.IsNotExist(err) { // removed meanwhile
				return nil
			}
			is = is || bytes.Contains(text, []byte(Mark))
			return err
		}))
	}
	return is
}

// write has a client of a program write until done is closed, and counts what it wrote. Each write is a process.
func (c *cell) write(program string, done <-chan struct{}, written *atomic.Int64) error {
	for n := 1; ; n++ {
		select {
		case <-done:
			return nil
		default:
		}
		path := "/written-by-" + filepath.Base(program)
		if _, err := c.run(program, "put", path, fmt.Sprint(n)); err != nil {
			return err
		}
		written.Add(1)
	}
}

// Three replicas are upgraded one after the other, while clients of both programs write, and hold locks. No write fails, no
// lock is lost, and the new command is used only after the last one. Then the older program cannot come back.
func TestACellIsUpgradedUnderLoad(t *testing.T) {
	if !*whole {
		t.Skip("it builds two programs and replaces processes: -whole runs it, and .ci/run does")
	}
	c := newCell(t)
	for id := 1; id <= 3; id++ {
		c.serve(id, c.old, true)
	}
	c.await("three of the old program", func(all []member) bool { return upgraded(all) == 0 && all[0].Commands == 3 })
	c.limit(c.new, 501)

	done := make(chan struct{})
	var writers sync.WaitGroup
	var written [2]atomic.Int64
	var failed [2]error
	var holders []*exec.Cmd
	var ends sync.Once
	end := func() { ends.Do(func() { close(done) }); writers.Wait() }
	t.Cleanup(end)
	for i, program := range []string{c.old, c.new} {
		writers.Go(func() { failed[i] = c.write(program, done, &written[i]) })
		holders = append(holders, c.start(filepath.Join(c.dir, "holder.log"), program, "lock", "/held-by-"+filepath.Base(program), "--cell", c.file, "--", "sleep", "100000"))
	}
	more := func() { // both write meanwhile
		t.Helper()
		was := [2]int64{written[0].Load(), written[1].Load()}
		require.Eventually(t, func() bool { return written[0].Load() > was[0]+2 && written[1].Load() > was[1]+2 }, wait, 10*time.Millisecond)
	}
	more()
	var generations [2]uint64 // of the lock that each holder has
	for i, program := range []string{c.old, c.new} {
		require.Eventually(t, func() bool { generations[i] = c.lockGeneration(program); return generations[i] > 0 }, wait, 100*time.Millisecond)
	}

	for id := 1; id <= 3; id++ {
		c.stop(id)
		more()
		require.False(t, c.isMarked(), "%d replicas are of the next program", id-1)
		target := uint64(0)
		for _, m := range c.members() {
			target = max(target, m.Applied)
		}
		c.serve(id, c.new, false)
		c.await(fmt.Sprint("replica ", id, " is back"), func(all []member) bool {
			return upgraded(all) == id && all[id-1].Applied >= target
		})
		more()
		if id < 3 {
			c.lead(id) // a master of the next program must not propose what a member does not know
			more()
			for _, m := range c.members() {
				require.Equal(t, 3, m.Commands, "replica %d is of the old program", 3)
			}
			c.limit(c.new, 510+id)
			require.False(t, c.isMarked(), "%d replicas are of the next program", id)
		}
	}
	c.await("the cell uses version 4", func(all []member) bool {
		return all[0].Commands == 4 && all[1].Commands == 4 && all[2].Commands == 4
	})
	c.limit(c.old, 520)
	more()
	require.Eventually(t, c.isMarked, wait, 10*time.Millisecond)
	end()
	require.NoError(t, failed[0])
	require.NoError(t, failed[1])
	t.Logf("%d writes of the old program's client, %d of the next one's", written[0].Load(), written[1].Load())
	for i, program := range []string{c.old, c.new} {
		path := "/written-by-" + filepath.Base(program)
		out, err := c.run(c.old, "cat", path)
		require.NoError(t, err)
		require.Equal(t, fmt.Sprint(written[i].Load()), strings.TrimSpace(out))
	}
	for _, h := range holders {
		require.NoError(t, h.Process.Signal(syscall.Signal(0)), "the lock was lost")
		require.Nil(t, h.ProcessState)
	}
	for i, program := range []string{c.old, c.new} {
		require.Equal(t, generations[i], c.lockGeneration(program), "a lock was given up and taken again")
	}

	c.stop(2)
	c.serve(2, c.old, false)
	var exit *exec.ExitError
	require.ErrorAs(t, c.replicas[2].Wait(), &exit)
	require.Equal(t, 5, exit.ExitCode())
	said, err := os.ReadFile(c.log(2))
	require.NoError(t, err)
	require.Contains(t, string(said), "the cell uses version 4 of the commands")
	require.NoError(t, os.RemoveAll(filepath.Join(c.dir, "2"))) // nor with an empty disk
	c.serve(2, c.old, true)
	for _, id := range []int{1, 3} {
		require.Eventually(t, func() bool {
			said, err := os.ReadFile(c.log(id))
			return err == nil && strings.Contains(string(said), "replica 2 knows the commands of the log up to version 3") && strings.Contains(string(said), "Start replica 2 with the program of the other replicas")
		}, wait, 10*time.Millisecond)
	}
}
