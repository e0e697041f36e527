//go:build unix

package cellcmd

import (
	"errors"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/chubbycell/chubby/internal/cli"
)

// A put that waits for stdin ends by a signal, and writes nothing.
func TestAPutThatReadsEndsByASignal(t *testing.T) {
	t.Parallel()
	_, file := startDev(t)
	for _, s := range []os.Signal{syscall.SIGINT, syscall.SIGTERM} {
		in, silent, err := os.Pipe()
		require.NoError(t, err)
		p := startWith(t, func(c *exec.Cmd) { c.Stdin = in }, "put", "--cell", file, "/f")
		_, err = silent.WriteString(strings.Repeat("x", 100<<10)) // more than a pipe holds: it reads
		require.NoError(t, err)
		require.NoError(t, p.Process.Signal(s))
		require.Equal(t, cli.ExitInterrupted, p.ends(t))
		require.NoError(t, errors.Join(in.Close(), silent.Close()))
	}
	code, _, said := run(t, "cat", "--cell", file, "/f")
	require.Equal(t, cli.ExitNotFound, code, said)
}
