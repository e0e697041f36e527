//go:build unix

package cellcmd

import (
	"encoding/json"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/chubbycell/chubby/client"
	"github.com/chubbycell/chubby/internal/cli"
)

// At SIGHUP a replica reads its tokens again: the new one is accepted, and the old one no more.
func TestAReplicaReadsItsSecretsAgainAtHangup(t *testing.T) {
	t.Parallel()
	dir, at := t.TempDir(), freeAddr(t)
	write := writesTo(t, dir)
	old, renewed := strings.Repeat("o", 24), strings.Repeat("n", 24)
	tokens, token := write("tokens", "ann "+old+"\n"), write("token", old)
	config := write("cell.yaml", "cell: prod\nid: 1\nmembers:\n  1: "+freeAddr(t)+"\n")
	text, err := json.Marshal(client.Target{Cell: "prod", Replicas: map[uint32]string{1: at}, TokenFile: token})
	require.NoError(t, err)
	cell := write("cell.json", string(text))
	p := start(t, "serve", "--config", config, "--dir", filepath.Join(dir, "1"), "--listen-clients", at, "--token-file", tokens, "--bootstrap")
	code, _, said := run(t, "put", "--cell", cell, "/f", "1")
	require.Equal(t, cli.ExitClean, code, said)

	write("tokens", "ann short\n")
	require.NoError(t, p.Process.Signal(syscall.SIGHUP))
	p.says(t, `level=ERROR msg="the old ones stay: new files are bad".*the token of ann has 5 characters`)
	code, _, said = run(t, "put", "--cell", cell, "/f", "2")
	require.Equal(t, cli.ExitClean, code, said)

	write("tokens", "ann "+renewed+"\n")
	require.NoError(t, p.Process.Signal(syscall.SIGHUP))
	p.says(t, `msg="files were read again".*token_file`)
	code, _, said = run(t, "put", "--cell", cell, "/f", "3")
	require.Equal(t, cli.ExitPermission, code, said)
	write("token", renewed)
	code, _, said = run(t, "put", "--cell", cell, "/f", "4")
	require.Equal(t, cli.ExitClean, code, said)
	require.NoError(t, p.Process.Signal(syscall.SIGTERM))
	require.Equal(t, cli.ExitClean, p.ends(t))
}
