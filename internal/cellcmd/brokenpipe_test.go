//go:build unix

package cellcmd

import (
	"bufio"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/chubbycell/chubby/internal/cli"
)

// startPiped starts chubby with a pipe as its stderr. The process has the only other end.
func startPiped(t *testing.T, args ...string) (p *process, said *os.File) {
	t.Helper()
	said, w, err := os.Pipe()
	require.NoError(t, err)
	t.Cleanup(func() { said.Close() })
	p = startWith(t, func(c *exec.Cmd) { c.Stderr = w }, args...)
	require.NoError(t, w.Close())
	return p, said
}

// readTo reads lines until one has some text, and closes the pipe.
func readTo(t *testing.T, said *os.File, text string) {
	t.Helper()
	lines := bufio.NewScanner(said)
	for lines.Scan() {
		if strings.Contains(lines.Text(), text) {
			require.NoError(t, said.Close())
			return
		}
	}
	require.FailNow(t, "it ended its output", "without %q", text)
}

// A replica goes on when the program that reads its log has ended, as in chubby serve 2>&1 | tee log, where Ctrl-C
// ends tee first. It stops in good order: it closes its log, and a master resigns.
func TestAReplicaOutlivesTheReaderOfItsLog(t *testing.T) {
	t.Parallel()
	dir, at := t.TempDir(), freeAddr(t)
	config := filepath.Join(dir, "cell.yaml")
	require.NoError(t, os.WriteFile(config, []byte("cell: prod\nid: 1\nmembers:\n  1: "+freeAddr(t)+"\n"), 0o600))
	p, log := startPiped(t, "serve", "--config", config, "--dir", filepath.Join(dir, "1"), "--listen-clients", at, "--bootstrap")
	readTo(t, log, "msg=starts") // more lines follow: the first leader at least
	code, _, said := run(t, "put", "--cell", "1="+at, "/f", "1")
	require.Equal(t, cli.ExitClean, code, said)
	require.NoError(t, p.Process.Signal(syscall.SIGTERM))
	require.Equal(t, cli.ExitClean, p.ends(t))
}

// The command under a lock does not end because nothing reads the warnings of chubby lock: here it ends later, since
// the lock is lost, and chubby lock says so by its exit code.
func TestALockOutlivesTheReaderOfItsWarnings(t *testing.T) {
	t.Parallel()
	cell, file := startDev(t, "--session-lease", "200ms")
	l, warnings := startPiped(t, "lock", "--cell", file, "--lock-delay", "3s", "/l", "--", "sh", "-c", "echo held; exec sleep 1000")
	l.says(t, "held")
	require.NoError(t, cell.Process.Signal(syscall.SIGSTOP))
	readTo(t, warnings, "the cell is out of reach") // another warning follows
	require.Equal(t, cli.ExitLost, l.ends(t))
}
