//go:build unix

package cellcmd

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/chubbycell/chubby/client"
	"github.com/chubbycell/chubby/internal/cli"
)

// The master's process is killed while a client is idle, whose KeepAlive that master holds for the
// longest part of 40 s. The client notices that its connection broke, so the next master does not wait for
// it, and a call with a patience of 15 s is answered.
func TestAnIdleClientFollowsAKilledMaster(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	var members, clients []string
	for id := 1; id <= 3; id++ {
		members = append(members, fmt.Sprintf("  %d: %s", id, freeAddr(t)))
		clients = append(clients, fmt.Sprintf("%d=%s", id, freeAddr(t)))
	}
	config := filepath.Join(dir, "cell.yaml")
	require.NoError(t, os.WriteFile(config, []byte("cell: prod\nsession_lease: 40s\nmembers:\n"+strings.Join(members, "\n")+"\n"), 0o600))
	all := map[string]*process{}
	for id := 1; id <= 3; id++ {
		all[fmt.Sprint(id)] = start(t, "serve", "--config", config, "--id", fmt.Sprint(id), "--bootstrap",
			"--dir", filepath.Join(dir, fmt.Sprint(id)), "--listen-clients", clients[id-1][2:])
	}
	target := strings.Join(clients, ",")
	ctx, cancel := context.WithTimeout(context.Background(), wait)
	defer cancel()
	idle, err := client.Dial(ctx, target)
	require.NoError(t, err)
	defer func() { require.NoError(t, idle.Close(ctx)) }()
	f, err := idle.Open(ctx, "/ls/local/f", client.OpenOptions{Rights: client.Write, Create: client.CreateMay})
	require.NoError(t, err)
	lock, err := f.Acquire(ctx, client.Exclusive)
	require.NoError(t, err)

	isMaster := regexp.MustCompile(`msg="is master"`)
	for _, p := range all {
		if _, said := p.text(); isMaster.MatchString(said) {
			require.NoError(t, p.Process.Kill())
			p.ends(t)
		}
	}
	code, _, said := run(t, "put", "--cell", target, "--timeout", "15s", "/g", "x")
	require.Equal(t, cli.ExitClean, code, said)
	require.NoError(t, lock.Err(), "the idle client still has its lock")
}
