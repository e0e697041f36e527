//go:build unix

package cellcmd

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/chubbycell/chubby/client"
	"github.com/chubbycell/chubby/internal/cli"
)

// An ephemeral directory goes by itself once its last child is deleted: for rm -r it is deleted like the others.
func TestWhatGoesByItselfIsDeletedToo(t *testing.T) {
	t.Parallel()
	_, file := startDev(t)
	code, _, said := run(t, "mkdir", "--cell", file, "-p", "/d/a")
	require.Equal(t, cli.ExitClean, code, said)
	c, err := client.Dial(t.Context(), file)
	require.NoError(t, err)
	for _, dir := range []string{"/ls/dev/d/e", "/ls/dev/e"} {
		_, err = c.Open(t.Context(), dir, client.OpenOptions{Create: client.CreateMust, Directory: true, Ephemeral: true})
		require.NoError(t, err)
		_, err = c.Open(t.Context(), dir+"/f", client.OpenOptions{Create: client.CreateMust})
		require.NoError(t, err)
	}
	require.NoError(t, c.Close(t.Context()))

	code, out, said := run(t, "rm", "--cell", file, "-r", "/d", "-o", "json")
	require.Equal(t, cli.ExitClean, code, said)
	require.JSONEq(t, `{"schema": "chubby-rm-1", "name": "/ls/dev/d", "deleted": 4}`, out)
	code, out, said = run(t, "rm", "--cell", file, "-r", "/e", "-o", "json")
	require.Equal(t, cli.ExitClean, code, said)
	require.JSONEq(t, `{"schema": "chubby-rm-1", "name": "/ls/dev/e", "deleted": 2}`, out)
	code, out, said = run(t, "ls", "--cell", file, "/")
	require.Equal(t, cli.ExitClean, code, said)
	require.Equal(t, "acl/\n", out)
	code, _, _ = run(t, "rm", "--cell", file, "-r", "/e")
	require.Equal(t, cli.ExitNotFound, code)
}

// A deletion that takes long says how many nodes are gone, every 5 s.
func TestALongDeletionSaysHowFarItIs(t *testing.T) {
	var said []int
	begun := time.Unix(100, 0)
	d := deletion{say: func(gone int) { said = append(said, gone) }, told: begun}
	for i := range 12 {
		d.add(begun.Add(time.Duration(i) * time.Second))
	}
	require.Equal(t, []int{6, 11}, said)
	require.Equal(t, 12, d.gone)
}
