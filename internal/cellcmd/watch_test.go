//go:build unix

package cellcmd

import (
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/chubbycell/chubby/internal/cli"
	"github.com/chubbycell/chubby/internal/schema"
)

// A watch whose session has ended says so, and not that the node was deleted: the root cannot be.
func TestAWatchTellsTheEndOfItsSession(t *testing.T) {
	t.Parallel()
	_, file := startDev(t, "--session-lease", "200ms")
	w := start(t, "watch", "--cell", file, "/")
	w.says(t, "watching /ls/dev")
	require.NoError(t, w.Process.Signal(syscall.SIGSTOP))
	require.Eventually(t, func() bool {
		code, out, said := run(t, "session", "list", "--cell", file, "-o", "json")
		require.Equal(t, cli.ExitClean, code, said)
		require.Equal(t, sessionListSchema, schema.Accept(t, project, []byte(out)))
		return strings.Contains(out, `"sessions": []`)
	}, wait, 100*time.Millisecond, "the session of a stopped client ends")
	require.NoError(t, w.Process.Signal(syscall.SIGCONT))
	require.Equal(t, cli.ExitLost, w.ends(t))
	out, said := w.text()
	require.Empty(t, out)
	require.Contains(t, said, `event "/ls/dev": session expired: changes were missed perhaps; read the node, and watch it again`)
}

// A watch tells that the cell does not answer, and goes on.
func TestAWatchTellsThatTheCellDoesNotAnswer(t *testing.T) {
	t.Parallel()
	cell, file := startDev(t, "--session-lease", "200ms")
	w := start(t, "watch", "--cell", file, "/")
	w.says(t, "watching /ls/dev")
	require.NoError(t, cell.Process.Signal(syscall.SIGSTOP))
	w.says(t, "chubby: the cell does not answer: no events come for now")
	require.NoError(t, w.Process.Signal(syscall.SIGINT))
	require.Equal(t, cli.ExitInterrupted, w.ends(t))
}
