//go:build unix

package cellcmd

import (
	"encoding/json"
	"fmt"
	"regexp"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/chubbycell/chubby/internal/cli"
	"github.com/chubbycell/chubby/internal/schema"
)

// The master resigns, the command prints the next one, and a session that was open is alive then. A replica that is
// not the master does not resign.
func TestAMasterResignsAndTheNextOneIsPrinted(t *testing.T) {
	t.Parallel()
	_, file := startDev(t)
	holder := start(t, "lock", "--cell", file, "/job", "--", "sh", "-c", "echo held; exec sleep 1000")
	holder.says(t, "held")

	code, out, said := run(t, "members", "resign", "--cell", file, "-o", "json")
	require.Equal(t, cli.ExitClean, code, said)
	var done resigned
	require.Equal(t, resignSchema, schema.Accept(t, project, []byte(out)))
	require.NoError(t, json.Unmarshal([]byte(out), &done))
	require.NotEqual(t, done.Former, done.Master)
	require.Positive(t, done.Epoch)
	code, out, said = run(t, "status", "--cell", file, "-o", "json")
	require.Equal(t, cli.ExitClean, code, said)
	var now status
	require.NoError(t, json.Unmarshal([]byte(out), &now))
	require.Equal(t, []uint64{uint64(done.Master), done.Epoch}, []uint64{uint64(now.Master), now.Epoch})
	code, out, said = run(t, "session", "locks", "--cell", file)
	require.Equal(t, cli.ExitClean, code, said)
	require.Contains(t, out, "/job")

	code, out, said = run(t, "members", "resign", "--cell", file, "--replica", fmt.Sprint(done.Former))
	require.Equal(t, cli.ExitRefused, code, out)
	require.Equal(t, fmt.Sprintf("chubby: replica %d: replica %d does not lead, but replica %d does: nothing was done\n", done.Former, done.Former, done.Master), said)
	code, out, said = run(t, "members", "resign", "--cell", file, "--replica", fmt.Sprint(done.Master))
	require.Equal(t, cli.ExitClean, code, said)
	m := regexp.MustCompile(`^replica (\d) has resigned; replica (\d) is the master, in epoch (\d+)\n$`).FindStringSubmatch(out)
	require.NotNil(t, m, "%s", out)
	require.Equal(t, fmt.Sprint(done.Master), m[1])
	require.NotEqual(t, m[1], m[2])
	require.NotEqual(t, fmt.Sprint(done.Epoch), m[3])
	select {
	case <-holder.done:
		require.FailNow(t, "the lock was lost", "%s", said)
	default:
	}

	for args, words := range map[[2]string]string{
		{"--replica", "9"}: "--replica 9: the cell that is called has no such replica",
		{"--replica", "0"}: "--replica 0: ids begin with 1",
	} {
		code, _, said := run(t, append([]string{"members", "resign", "--cell", file}, args[:]...)...)
		require.Equal(t, cli.ExitUsage, code, said)
		require.Contains(t, said, words)
	}
	code, _, said = run(t, "members", "resign", "2", "--cell", file)
	require.Equal(t, cli.ExitUsage, code, said)
	require.Contains(t, said, "the replica that resigns is that of --replica")
	code, _, said = run(t, "members", "resign", "--cell", "1=127.0.0.1:1", "--timeout", "300ms")
	require.Equal(t, cli.ExitTimeout, code, said)
}

// In a cell of one the same replica becomes master again.
func TestTheOnlyReplicaIsMasterAgain(t *testing.T) {
	t.Parallel()
	_, file := startDev(t, "--replicas", "1")
	code, out, said := run(t, "members", "resign", "--cell", file)
	require.Equal(t, cli.ExitClean, code, said)
	require.Regexp(t, `^replica 1 has resigned, and is the master again, in epoch \d+\n$`, out)
}
