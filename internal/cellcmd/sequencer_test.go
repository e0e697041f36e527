//go:build unix

package cellcmd

import (
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/chubbycell/chubby/client"
	"github.com/chubbycell/chubby/internal/cli"
	"github.com/chubbycell/chubby/internal/schema"
)

// What a command finds in CHUBBY_SEQUENCER is what a Go program's server takes, and what the command
// line takes.
func TestOneTextOfASequencerForCommandsAndPrograms(t *testing.T) {
	t.Parallel()
	_, file := startDev(t)
	l := start(t, "lock", "--cell", file, "/l", "--", "sh", "-c", `echo "$CHUBBY_SEQUENCER $CHUBBY_GENERATION."; exec sleep 1000`)
	l.says(t, `\.\n`)
	out, _ := l.text()
	text, generation, _ := strings.Cut(strings.TrimSuffix(strings.TrimSpace(out), "."), " ")

	ctx := t.Context()
	c, err := client.Dial(ctx, file)
	require.NoError(t, err)
	defer func() { require.NoError(t, c.Close(ctx)) }()
	h, err := c.Open(ctx, "/ls/local/l", client.OpenOptions{})
	require.NoError(t, err)
	require.NoError(t, h.CheckSequencer(ctx, text))
	s, err := client.ParseSequencer(text)
	require.NoError(t, err)
	require.EqualValues(t, atoi(t, generation), s.Generation)
	require.Equal(t, "/l", s.Lock)

	code, out, _ := run(t, "sequencer", "check", "--cell", file, "/l", text)
	require.Equal(t, cli.ExitClean, code)
	require.Equal(t, "valid\n", out)
	code, out, _ = run(t, "sequencer", "check", "--cell", file, "/l", text, "-o", "json")
	require.Equal(t, cli.ExitClean, code)
	require.JSONEq(t, `{"schema": "chubby-sequencer-1", "valid": true}`, out)
	require.Equal(t, sequencerSchema, schema.Accept(t, project, []byte(out)))
	code, _, said := run(t, "sequencer", "check", "--cell", file, "/l", text[:len(text)-1])
	require.Equal(t, cli.ExitUsage, code)
	require.Contains(t, said, "one that was cut or changed")

	require.NoError(t, l.Process.Signal(syscall.SIGTERM))
	l.ends(t)
	code, out, _ = run(t, "sequencer", "check", "--cell", file, "/l", text)
	require.Equal(t, cli.ExitConflict, code)
	require.Equal(t, "stale\n", out)
}
