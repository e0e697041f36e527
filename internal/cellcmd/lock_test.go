//go:build unix

package cellcmd

import (
	"errors"
	"fmt"
	"os"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/chubbycell/chubby/client"
	"github.com/chubbycell/chubby/internal/cli"
)

// A cell that is out of reach for good ends the command, in good order if it can.
func TestACommandEndsBeforeItsLockMayBeAnothers(t *testing.T) {
	t.Parallel()
	p, file := startDev(t, "--session-lease", "500ms")
	polite := start(t, "lock", "--cell", file, "--lock-delay", "10s", "/polite", "--", "sh", "-c", `trap "echo bye; exit 0" TERM; echo held; sleep 1000 & wait`)
	deaf := start(t, "lock", "--cell", file, "--lock-delay", "10s", "/deaf", "--", "sh", "-c", `trap "" TERM; echo $$; echo held; exec sleep 1000`)
	polite.says(t, "held")
	deaf.says(t, "held")
	begun := time.Now()
	require.NoError(t, p.Process.Signal(syscall.SIGSTOP))
	polite.says(t, "out of reach; the command continues for at most 8s")
	deaf.says(t, "killing the command")
	require.Less(t, time.Since(begun), 500*time.Millisecond+10*time.Second, "the lease and the lock-delay were not over")
	require.Equal(t, cli.ExitLost, polite.ends(t))
	out, text := polite.text()
	require.Contains(t, out, "bye", "it was asked to end")
	require.Contains(t, text, "/ls/dev/polite: the lock was lost, so the command was ended")
	require.Equal(t, cli.ExitLost, deaf.ends(t))
}

// When lock is killed, its command is, too.
func TestACommandDoesNotOutliveItsLocker(t *testing.T) {
	t.Parallel()
	_, file := startDev(t)
	l := start(t, "lock", "--cell", file, "/l", "--", "sh", "-c", `echo $$; exec sleep 1000`)
	l.says(t, `\d+\n`)
	out, _ := l.text()
	require.NoError(t, l.Process.Kill())
	l.ends(t)
	pid := atoi(t, out)
	require.Eventually(t, func() bool { return errors.Is(syscall.Kill(pid, 0), syscall.ESRCH) || isZombie(pid) }, wait, time.Millisecond)
}

// Where lock was stopped for so long that another client has had the lock, it cannot know whether its command ended in
// time: lock reports the loss, and not the exit code of the command. Several of them wake up, since each
// may look after its lock before it sees that the command has ended.
func TestALockThatWasStoppedPastItsLockReportsTheLoss(t *testing.T) {
	t.Parallel()
	_, file := startDev(t, "--session-lease", "2s")
	fifo := file + ".end"
	require.NoError(t, syscall.Mkfifo(fifo, 0o600))
	end, err := os.OpenFile(fifo, os.O_RDWR, 0) // it keeps what is written until it is read
	require.NoError(t, err)
	defer end.Close()
	const commands = 8
	var all []*process
	var watchdogs []int
	for n := range commands {
		l := startWith(t, apart, "lock", "--cell", file, "--lock-delay", "3s", fmt.Sprint("/l", n), "--", "sh", "-c", `echo held; read line < `+fifo)
		l.says(t, "held")
		all, watchdogs = append(all, l), append(watchdogs, watchdogOf(t, l))
	}
	for _, l := range all {
		require.NoError(t, l.Process.Signal(syscall.SIGSTOP))
	}
	_, err = end.WriteString(strings.Repeat("\n", commands)) // a line for each
	require.NoError(t, err)
	for _, pid := range watchdogs {
		require.Eventually(t, func() bool { return isDead(pid) }, wait, time.Millisecond)
	}
	for n := range all {
		code, _, said := run(t, "lock", "--cell", file, fmt.Sprint("/l", n), "--", "true")
		require.Equal(t, cli.ExitClean, code, said)
	}
	for _, l := range all {
		require.NoError(t, l.Process.Signal(syscall.SIGCONT))
		require.Equal(t, cli.ExitLost, l.ends(t))
		_, text := l.text()
		require.Contains(t, text, "the lock was lost")
	}
}

func TestAGuardEndsACommandInTime(t *testing.T) {
	at := func(seconds float64) time.Time { return time.Unix(0, int64(seconds*1e9)) }
	jeopardy := &client.Error{Op: "lock", Causes: []error{client.ErrJeopardy}}
	type look struct {
		at, left float64
		err      error
		want     action
	}
	for name, looks := range map[string][]look{
		"a session that lives": {{0, 12, nil, nothing}, {6, 1, nil, nothing}, {7, 12, nil, nothing}},
		"an outage that ends":  {{0, 1, nil, nothing}, {1, 0, jeopardy, warn}, {2, -1, jeopardy, nothing}, {3, 10, nil, nothing}, {13, -1, jeopardy, warn}},
		"an outage that lasts": {
			{0, -1, jeopardy, warn}, {7.9, -8.9, jeopardy, nothing}, {8, -9, jeopardy, terminate}, {9, -10, jeopardy, nothing},
			{11, -12, jeopardy, kill}, {12, -13, jeopardy, nothing},
		},
		"a machine that was suspended": {{0, 5, nil, nothing}, {3600, -3600, jeopardy, terminate}, {3600, -3600, jeopardy, kill}},
		"a lock that is lost":          {{0, 5, client.ErrNotHeld, terminate}, {2.9, 2, client.ErrNotHeld, nothing}, {3, 2, client.ErrNotHeld, kill}},
	} {
		t.Run(name, func(t *testing.T) {
			g := guard{delay: 15 * time.Second}
			for _, l := range looks {
				require.Equal(t, l.want, g.look(at(l.at), time.Duration(l.left*1e9), l.err), "at %v", l.at)
			}
		})
	}
}

func TestAGuardKnowsWhetherTheLockLastedToTheEnd(t *testing.T) {
	const s = time.Second
	jeopardy := &client.Error{Op: "lock", Causes: []error{client.ErrJeopardy}}
	for name, end := range map[string]struct {
		g    guard
		left time.Duration
		err  error
		says string
		why  error
	}{
		"the session lives":               {guard{}, 5 * s, nil, "", nil},
		"an outage":                       {guard{}, -11 * s, jeopardy, "", nil},
		"lock was stopped":                {guard{}, -12 * s, jeopardy, "before lock saw the end of the command", client.ErrJeopardy},
		"lock was stopped, and not told":  {guard{}, -12 * s, nil, "before lock saw the end of the command", client.ErrJeopardy},
		"the lock is lost":                {guard{}, 5 * s, client.ErrGone, "before lock saw the end of the command", client.ErrGone},
		"the command was told to end":     {guard{stopping: true, why: client.ErrGone}, 5 * s, nil, "so the command was ended", client.ErrGone},
		"it was, and the session is over": {guard{stopping: true, why: jeopardy}, -12 * s, client.ErrSessionExpired, "so the command was ended", client.ErrJeopardy},
	} {
		t.Run(name, func(t *testing.T) {
			end.g.delay = 15 * s
			what := end.g.atEnd(end.left, end.err)
			require.Equal(t, end.says == "", what == "")
			require.Contains(t, what, end.says)
			require.ErrorIs(t, end.g.why, end.why)
		})
	}
}
