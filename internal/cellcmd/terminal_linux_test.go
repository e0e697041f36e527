package cellcmd

import (
	"fmt"
	"io"
	"os"
	"os/exec"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"

	"github.com/chubbycell/chubby/internal/cli"
)

// terminal makes a terminal: what a user has in front, and what programs see.
func terminal(t *testing.T) (user, programs *os.File) {
	user, err := os.OpenFile("/dev/ptmx", os.O_RDWR|syscall.O_NOCTTY|syscall.O_NONBLOCK, 0)
	if err != nil {
		t.Skipf("it needs /dev/ptmx, which the machines of .ci/run have: %v", err)
	}
	t.Cleanup(func() { user.Close() })
	raw, err := user.SyscallConn() // Fd would make reads block, and Close wait for them
	require.NoError(t, err)
	number, bad := 0, error(nil)
	require.NoError(t, raw.Control(func(fd uintptr) {
		if number, bad = unix.IoctlGetInt(int(fd), unix.TIOCGPTN); bad == nil {
			bad = unix.IoctlSetPointerInt(int(fd), unix.TIOCSPTLCK, 0)
		}
	}))
	require.NoError(t, bad)
	programs, err = os.OpenFile(fmt.Sprintf("/dev/pts/%d", number), os.O_RDWR|syscall.O_NOCTTY, 0)
	require.NoError(t, err)
	t.Cleanup(func() { programs.Close() })
	return user, programs
}

// startAt starts a program as a login at a terminal does. What it prints there is what the process says.
func startAt(t *testing.T, user, programs *os.File, argv ...string) *process {
	p := startWith(t, func(c *exec.Cmd) {
		c.Path, c.Err = exec.LookPath(argv[0])
		c.Args, c.Stdin, c.Stdout, c.Stderr = argv, programs, programs, programs
		c.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Setctty: true}
	})
	go func() { _, _ = io.Copy(tap{p, &p.out}, user) }() // until the terminal is closed
	return p
}

func types(t *testing.T, user *os.File, text string) {
	_, err := user.WriteString(text)
	require.NoError(t, err)
}

// A command reads the terminal, also one whose stdin is something else, and Ctrl-C reaches it once.
func TestACommandHasTheTerminal(t *testing.T) {
	t.Parallel()
	_, file := startDev(t)
	for _, stdin := range []string{"/dev/tty", "/dev/null"} {
		user, programs := terminal(t)
		l := startAt(t, user, programs, "sh", "-c", `exec chubby "$@" < `+stdin, "sh", "lock", "--cell", file, "/l", "--", "sh", "-c", `
			trap "n=\$((n+1)); echo int \$n." INT
			read x < /dev/tty; echo "got $x"
			while test "$n" != 2; do sleep 0.01; done; echo ready
			read x < /dev/tty; exit 7`)
		types(t, user, "hello\n")
		l.says(t, "got hello")
		types(t, user, "\x03")
		l.says(t, `int 1\.`)
		types(t, user, "\x03")
		l.says(t, `int 2\.[^$]*ready`)
		types(t, user, "bye\n")
		require.Equal(t, 7, l.ends(t))
	}
}

// A shell under a lock is interactive: it has jobs of its own.
func TestAnInteractiveShellUnderALock(t *testing.T) {
	t.Parallel()
	if _, err := exec.LookPath("bash"); err != nil {
		t.Skip("it needs bash, which .ci/run is written in")
	}
	_, file := startDev(t)
	user, programs := terminal(t)
	l := startAt(t, user, programs, "chubby", "lock", "--cell", file, "/l", "--", "bash", "--norc", "--noediting", "-i")
	l.says(t, `[#$] $`) // the prompt: what is typed before that is echoed in front of it
	types(t, user, "echo $CHUBBY_LOCK\n")
	l.says(t, `\s/ls/dev/l\r\n[^\n]*[#$] $`)
	types(t, user, "sh -c 'echo f''oreground; exec sleep 1000'\n")
	l.says(t, "\nforeground\r")
	types(t, user, "\x03")
	l.says(t, `\nforeground\r\n\^C[^#$]*[#$] $`)
	types(t, user, "sleep 1000 & jobs; exit 5\n")
	l.says(t, `\[1\].*Running`)
	require.Equal(t, 5, l.ends(t))
	out, _ := l.text()
	require.NotContains(t, out, "no job control")
}

// Ctrl-Z stops the job, with what renews the lease: the watchdog ends the command before the lock is another's.
func TestAJobThatIsStopped(t *testing.T) {
	t.Parallel()
	_, file := startDev(t, "--session-lease", "500ms")
	user, programs := terminal(t)
	l := startAt(t, user, programs, "sh", "-c", `set -m; chubby "$@"; echo stopped $?; read go; fg; echo ended $?`,
		"sh", "lock", "--cell", file, "--lock-delay", "3s", "/l", "--", "sh", "-c", `echo $$; echo held; while :; do sleep 0.01; done`)
	l.says(t, "held")
	out, _ := l.text()
	var pid int
	_, err := fmt.Sscan(out, &pid)
	require.NoError(t, err)
	types(t, user, "\x1a")
	l.says(t, `stopped 1\d\d`)
	code, _, said := run(t, "lock", "--cell", file, "/l", "--", "true")
	require.Zero(t, code, said)
	require.Eventually(t, func() bool { return isDead(pid) }, wait, time.Millisecond)
	types(t, user, "go\n")
	l.says(t, `ended 10`)
}

// When a terminal closes, the command is told, and the lock is free after it.
func TestATerminalThatCloses(t *testing.T) {
	t.Parallel()
	_, file := startDev(t)
	user, programs := terminal(t)
	trace := file + ".trace"
	l := startAt(t, user, programs, "chubby", "lock", "--cell", file, "/l", "--", "sh", "-c", `
		trap "echo hup > `+trace+`; exit 0" HUP; echo held; while :; do sleep 0.01; done`)
	l.says(t, "held")
	programs.Close()
	user.Close()
	require.Zero(t, l.ends(t))
	text, err := os.ReadFile(trace)
	require.NoError(t, err)
	require.Equal(t, "hup\n", string(text))
	code, _, said := run(t, "lock", "--cell", file, "--try", "/l", "--", "true")
	require.Zero(t, code, said)
}

// put without contents at a terminal says what it waits for.
func TestPutSaysThatItReadsTheTerminal(t *testing.T) {
	t.Parallel()
	_, file := startDev(t)
	user, programs := terminal(t)
	p := startAt(t, user, programs, "chubby", "put", "--cell", file, "/typed")
	p.says(t, "chubby: the contents come from this terminal: Ctrl-D")
	types(t, user, "words\n\x04")
	require.Equal(t, cli.ExitClean, p.ends(t))
	code, out, said := run(t, "cat", "--cell", file, "/typed")
	require.Equal(t, cli.ExitClean, code, said)
	require.Equal(t, "words\n", out)
}

// At a terminal the command that ends a session says how long it waits, in a line that it writes over and erases.
func TestTheEndOfASessionIsAwaitedInSight(t *testing.T) {
	t.Parallel()
	_, file := startDev(t, "--session-lease", "2s")
	holder := start(t, "lock", "--cell", file, "--lock-delay", "3s", "/stuck", "--", "sh", "-c", "echo held; exec sleep 1000")
	holder.says(t, "held")
	session := holderOf(t, file, "/stuck")
	user, programs := terminal(t)
	end := startAt(t, user, programs, "chubby", "session", "end", "--cell", file, session)
	end.says(t, `\rwaiting for session `+session+`: \ds\x1b\[K`)
	end.says(t, `\r\x1b\[Ksession `+session+` has ended\r\n`)
	require.Equal(t, cli.ExitClean, end.ends(t))
}
