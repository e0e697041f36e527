//go:build unix

package cellcmd

import (
	"errors"
	"fmt"
	"os/exec"
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
