//go:build unix

package cellcmd

import (
	"maps"
	"os/exec"
	"path/filepath"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/chubbycell/chubby/client"
	"github.com/chubbycell/chubby/internal/cli"
	"github.com/chubbycell/chubby/internal/transport/dnstest"
)

// Commands call a cell by its name in DNS, also those that need no session.
func TestACellIsCalledByItsNameInDNS(t *testing.T) {
	t.Parallel()
	_, file := startDev(t)
	cell, err := client.ParseTarget(file)
	require.NoError(t, err)
	dns := dnstest.New(t)
	dns.SetServices("_chubby._tcp.cell.test", slices.Collect(maps.Values(cell.Replicas))...)
	by := func(code int, target string, args ...string) (out, said string) {
		t.Helper()
		p := startWith(t, func(c *exec.Cmd) { c.Env = append(c.Env, "CHUBBY_TEST_DNS="+dns.Addr, "CHUBBY_CELL="+target) }, args...)
		got := p.ends(t)
		out, said = p.text()
		require.Equal(t, code, got, said)
		return out, said
	}
	const srv = "dns+srv:///cell.test"
	by(cli.ExitClean, srv, "put", "/f", "x")
	out, _ := by(cli.ExitClean, srv, "cat", "/f")
	require.Equal(t, "x", out)
	out, _ = by(cli.ExitClean, srv, "lock", "/l", "--", "sh", "-c", `echo $CHUBBY_CELL; chubby cat /f`)
	require.Equal(t, srv+"\nx", out)
	out, _ = by(cli.ExitClean, srv, "status")
	require.Regexp(t, `(?m)^cell +dev$`, out)
	out, _ = by(cli.ExitClean, srv, "members")
	for id := range 3 {
		require.Regexp(t, `(?m)^`+string(rune('1'+id))+` +at-127-0-0-1\.test:\d+ +(leader|follower)`, out)
	}

	// A replica without a record is known by its id.
	dns.SetServices("_chubby._tcp.cell.test", cell.Replicas[1], cell.Replicas[2])
	out, said := by(cli.ExitClean, srv, "members")
	require.Regexp(t, `(?m)^3 +- +no answer`, out)
	require.Contains(t, said, "replica 3: none of the addresses that were found is that of this replica\n")

	_, said = by(cli.ExitUsage, srv, "cat", "/ls/far/f")
	require.Contains(t, said, "the list of replicas or the name in DNS does not say which cell is called")
	for target, why := range map[string]string{
		"dns:///absent.test:7400": "DNS has no A or AAAA records of absent.test: look at the name, add the records, or give ID=HOST:PORT,ID=HOST:PORT or a cell file",
		"dns+srv:///absent.test":  "DNS has no SRV records of _chubby._tcp.absent.test: ",
		"dns:///cell.test":        `target "dns:///cell.test": it has no NAME:PORT: give dns:///NAME:PORT (each A`,
		"dns://cell.test:7400":    "three slashes come before NAME",
		filepath.Join("no", "file"): "is neither a cell file nor a list of replicas: give ID=HOST:PORT,ID=HOST:PORT, the name of a cell file, " +
			"dns:///NAME:PORT or dns+srv:///NAME: ",
	} {
		for _, command := range [][]string{{"ls", "/"}, {"members"}} {
			_, said := by(cli.ExitUsage, target, command...)
			require.Contains(t, said, why)
		}
	}

	dns.Fail(-1)
	for _, command := range [][]string{{"ls", "/", "--timeout", "1s"}, {"members", "--timeout", "1s"}} {
		_, said := by(cli.ExitTimeout, srv, command...)
		require.Contains(t, said, "dns+srv:///cell.test: the lookup of the SRV records of _chubby._tcp.cell.test failed: ")
	}
}
