//go:build unix

package cellcmd

import (
	"errors"
	"fmt"
	"os/exec"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/chubbycell/chubby/internal/cli"
)

// apart starts a process without the terminal of the tests.
func apart(c *exec.Cmd) { c.SysProcAttr = &syscall.SysProcAttr{Setsid: true} }

func isDead(pid int) bool {
	return errors.Is(syscall.Kill(pid, 0), syscall.ESRCH) || isZombie(pid)
}

// Each signal is passed on as often as it comes, and lock goes on until the command has ended.
func TestSignalsArePassedOn(t *testing.T) {
	t.Parallel()
	_, file := startDev(t)
	l := startWith(t, apart, "lock", "--cell", file, "/l", "--", "sh", "-c", `
		for s in HUP INT QUIT TERM USR1 USR2; do trap "n$s=\$((n$s+1)); echo $s \$n$s." $s; done
		echo held
		while test "$nTERM" != 3; do sleep 0.01; done
		exit 3`)
	l.says(t, "held")
	for n := 1; n <= 2; n++ {
		for name, s := range map[string]syscall.Signal{
			"HUP": syscall.SIGHUP, "INT": syscall.SIGINT, "QUIT": syscall.SIGQUIT, "TERM": syscall.SIGTERM, "USR1": syscall.SIGUSR1, "USR2": syscall.SIGUSR2,
		} {
			require.NoError(t, l.Process.Signal(s))
			l.says(t, fmt.Sprintf("%s %d\\.", name, n))
		}
	}
	code, _, _ := run(t, "lock", "--cell", file, "--try", "/l", "--", "true")
	require.Equal(t, cli.ExitConflict, code, "it is held still")
	require.NoError(t, l.Process.Signal(syscall.SIGTERM))
	require.Equal(t, 3, l.ends(t))
	code, _, said := run(t, "lock", "--cell", file, "--try", "/l", "--", "true")
	require.Equal(t, cli.ExitClean, code, said)
}

// A hangup ends a command that does not catch it, also what it has started; nohup keeps it from both.
func TestAHangup(t *testing.T) {
	t.Parallel()
	_, file := startDev(t)
	l := startWith(t, apart, "lock", "--cell", file, "/l", "--", "sh", "-c", `sleep 1000 & echo $!; wait`)
	l.says(t, `\d+\n`)
	require.NoError(t, l.Process.Signal(syscall.SIGHUP))
	require.Equal(t, 128+int(syscall.SIGHUP), l.ends(t))
	out, _ := l.text()
	require.Eventually(t, func() bool { return isDead(atoi(t, out)) }, wait, time.Millisecond)

	nohup := startWith(t, func(c *exec.Cmd) {
		apart(c)
		c.Args = []string{"sh", "-c", `trap "" HUP; exec chubby "$@"`, "sh", "lock", "--cell", file, "/n", "--", "sh", "-c", `echo held; while test ! -e ` + file + `.end; do sleep 0.01; done`}
		c.Path, c.Err = exec.LookPath("sh")
	})
	nohup.says(t, "held")
	require.NoError(t, nohup.Process.Signal(syscall.SIGHUP))
	require.NoError(t, exec.Command("touch", file+".end").Run())
	require.Equal(t, cli.ExitClean, nohup.ends(t))
}

// forks is a command with processes that a signal to its group does not end: what a shell ignores is ignored by what it
// starts.
const forks = `trap "" TERM
	sleep 1000 & echo $!
	setsid sleep 1000 & echo $!
	echo $$; echo held
	sleep 1000; exit 1`

// pids are what forks prints.
func pids(t *testing.T, l *process) (all []int) {
	l.says(t, "held")
	out, _ := l.text()
	for _, line := range strings.Fields(out)[:3] {
		all = append(all, atoi(t, line))
	}
	return all
}

// Where lock and watchdog are killed, the kernel kills the command.
func TestACommandDoesNotOutliveLockAndWatchdog(t *testing.T) {
	t.Parallel()
	if !knowsKin() {
		t.Skip("it needs death signals, which Linux has, and so the machines of .ci/run")
	}
	_, file := startDev(t)
	l := startWith(t, apart, "lock", "--cell", file, "/l", "--", "sh", "-c", `echo $$; exec sleep 1000`)
	l.says(t, `\d+\n`)
	out, _ := l.text()
	watchdog := watchdogOf(t, l)
	require.NoError(t, syscall.Kill(watchdog, syscall.SIGSTOP)) // it does not see the end of lock
	require.NoError(t, l.Process.Kill())
	require.NoError(t, syscall.Kill(watchdog, syscall.SIGKILL))
	l.ends(t)
	require.Eventually(t, func() bool { return isDead(atoi(t, out)) }, wait, time.Millisecond)
}

// However lock ends, all that its command has started is dead before another client has the lock.
func TestNothingOfACommandOutlivesTheLock(t *testing.T) {
	t.Parallel()
	if !knowsKin() {
		t.Skip("it needs /proc, which Linux has, and so the machines of .ci/run")
	}
	p, file := startDev(t, "--session-lease", "500ms")
	for name, end := range map[string]struct {
		signal syscall.Signal
		who    func(*process) int
		code   int
	}{
		"lock is killed":         {syscall.SIGKILL, func(l *process) int { return l.Process.Pid }, -1},
		"lock is stopped":        {syscall.SIGSTOP, func(l *process) int { return l.Process.Pid }, cli.ExitLost},
		"the watchdog is killed": {syscall.SIGKILL, func(l *process) int { return watchdogOf(t, l) }, 128 + int(syscall.SIGKILL)},
	} {
		t.Run(name, func(t *testing.T) {
			l := startWith(t, apart, "lock", "--cell", file, "--lock-delay", "3s", "/l", "--", "sh", "-c", forks)
			all := pids(t, l)
			require.NoError(t, syscall.Kill(end.who(l), end.signal))
			code, _, said := run(t, "lock", "--cell", file, "/l", "--", "true")
			require.Equal(t, cli.ExitClean, code, said)
			for _, pid := range all {
				require.True(t, isDead(pid), "%d lives while another client has the lock", pid)
			}
			_ = l.Process.Signal(syscall.SIGCONT)
			require.Equal(t, end.code, l.ends(t))
		})
	}
	l := startWith(t, apart, "lock", "--cell", file, "--lock-delay", "3s", "/lost", "--", "sh", "-c", forks)
	all := pids(t, l)
	stopped := startWith(t, apart, "lock", "--cell", file, "--lock-delay", "3s", "/blind", "--", "sh", "-c", forks)
	more := pids(t, stopped)
	require.NoError(t, syscall.Kill(watchdogOf(t, stopped), syscall.SIGSTOP))
	require.NoError(t, p.Process.Signal(syscall.SIGSTOP))
	require.Equal(t, cli.ExitLost, l.ends(t), "the cell is out of reach")
	require.Equal(t, cli.ExitLost, stopped.ends(t), "the watchdog is stopped, too")
	for _, pid := range append(all, more...) {
		require.True(t, isDead(pid), "%d lives", pid)
	}
}
