//go:build unix

package cellcmd

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/chubbycell/chubby/client"
	"github.com/chubbycell/chubby/internal/cli"
	"github.com/chubbycell/chubby/internal/schema"
	"github.com/chubbycell/chubby/internal/transport/rpc/chubbyv1"
)

// writeCell writes a cell file.
func writeCell(t *testing.T, cell client.Target) string {
	text, err := json.Marshal(cell)
	require.NoError(t, err)
	file := filepath.Join(t.TempDir(), "cell.json")
	require.NoError(t, os.WriteFile(file, text, 0o600))
	return file
}

// Where one replica has the address of another, no command takes that one for it.
func TestStatusSaysThatAddressesAreMixedUp(t *testing.T) {
	t.Parallel()
	_, file := startDev(t)
	cell, err := client.ParseTarget(file)
	require.NoError(t, err)
	cell.Replicas[1] = cell.Replicas[2]
	for _, command := range []string{"status", "ls"} {
		code, _, said := run(t, command, "--cell", writeCell(t, cell))
		if command == "ls" && code == cli.ExitClean {
			continue // the master is another one, and was asked first
		}
		require.Equal(t, cli.ExitUsage, code, said)
		require.Contains(t, said, "this is replica 2, not 1")
	}
}

// A command that a cell does not answer prints what its replicas say.
func TestACommandWithoutAMasterSaysWhatTheReplicasKnow(t *testing.T) {
	t.Parallel()
	dir, at, gone := t.TempDir(), freeAddr(t), freeAddr(t)
	config := filepath.Join(dir, "cell.yaml")
	members := "members:\n  1: " + freeAddr(t) + "\n  2: " + freeAddr(t) + "\n"
	require.NoError(t, os.WriteFile(config, []byte("cell: prod\nid: 1\n"+members), 0o600))
	start(t, "serve", "--config", config, "--dir", filepath.Join(dir, "1"), "--listen-clients", at, "--bootstrap")
	file := writeCell(t, client.Target{Cell: "prod", Replicas: map[uint32]string{1: at, 2: gone}})
	for end := time.Now().Add(wait); ; { // until it answers
		code, _, said := run(t, "members", "--cell", file)
		if code == cli.ExitClean {
			break
		}
		require.True(t, time.Now().Before(end), said)
	}
	for _, command := range []string{"status", "ls"} {
		code, out, said := run(t, command, "--cell", file, "--timeout", "2s")
		require.Equal(t, cli.ExitTimeout, code, said)
		require.Empty(t, out)
		require.Regexp(t, `^chubby: no session with cell prod after 2s: a majority is missing, 2 of the 2 replicas have to reach each other
replica 1 at `+at+`: (follower, (following|electing)|candidate)
`, said)
		require.Contains(t, said, "    This replica knows no leader")
		require.Contains(t, said, "replica 2 at "+gone+": connection refused\n")
	}
	code, out, said := run(t, "status", "--cell", file, "--timeout", "1s", "-o", "json")
	require.Equal(t, cli.ExitTimeout, code, said)
	require.Contains(t, said, "no session with cell prod after 1s")
	var got status
	require.Equal(t, statusSchema, schema.Accept(t, project, []byte(out)))
	require.NoError(t, json.Unmarshal([]byte(out), &got), out)
	program := &program{Commands: versionRange{3, 3}, Peers: versionRange{2, 2}, Clients: versionRange{5, 5}}
	require.NotNil(t, got.Replicas[0].Program)
	program.Build = got.Replicas[0].Program.Build // of the commit, if the test was built in one
	require.Equal(t, status{Cell: "prod", Lease: "none", Commands: 3, Replicas: []replicaStatus{{ID: 1, Addr: at, Program: program}, {ID: 2, Addr: gone, Error: "connection refused"}}}, got)
	code, out, said = run(t, "members", "--cell", file)
	require.Equal(t, cli.ExitClean, code, said)
	require.Regexp(t, `(?m)^2 +`+gone+` +no answer +- +- +- +- +-$`, out)
	require.Contains(t, said, "replica 2 at "+gone+": connection refused\n")
	code, _, said = run(t, "limits", "--cell", file)
	require.Equal(t, cli.ExitRefused, code, said)
	require.Contains(t, said, "the cell has no limits yet")
}

func TestAMajorityIsMissingWhereNoReplicaReachesOne(t *testing.T) {
	of := func(connected ...bool) description {
		d := &chubbyv1.ReplicaDescription{}
		for _, c := range connected {
			d.Members = append(d.Members, &chubbyv1.MemberDescription{Connected: c})
		}
		return description{got: d}
	}
	gone := description{err: errors.New("connection refused")}
	require.Equal(t, ": a majority is missing, 2 of the 3 replicas have to reach each other", lacking([]description{gone, of(true, false, false)}))
	require.Equal(t, ": a majority is missing, 3 of the 5 replicas have to reach each other", lacking([]description{of(true, true, false, false, false)}))
	require.Empty(t, lacking([]description{gone, of(true, true, false)}))
	require.Empty(t, lacking([]description{of(true, false, false), of(false, true, true)}))
	require.Empty(t, lacking([]description{gone}))
}

func TestTheMasterIsTheOneOfTheNewestEpoch(t *testing.T) {
	of := func(id uint32, serving bool, epoch uint64) description {
		return description{id: id, got: &chubbyv1.ReplicaDescription{Serving: serving, Epoch: epoch}}
	}
	gone := description{id: 9, err: errors.New("connection refused")}
	for _, c := range []struct {
		all  []description
		want uint32
		ok   bool
	}{
		{[]description{of(1, true, 6), of(2, false, 7), of(3, true, 7), gone}, 3, true},
		{[]description{of(1, true, 7), of(2, true, 6), of(3, false, 7)}, 1, true},
		{[]description{gone, of(2, false, 7), gone}, 2, false},
		{[]description{gone}, 0, false},
	} {
		id, ok := masterAmong(c.all)
		require.Equal(t, c.ok, ok)
		require.Equal(t, c.want, id)
	}
	old, now := of(3, true, 6), of(1, true, 7)
	require.Same(t, now.got, newest([]description{now, of(2, false, 7), gone, old}))
	require.Same(t, now.got, newest([]description{gone, of(2, false, 7), now}))
	require.Nil(t, newest([]description{gone}))
}

// A list of replicas without the master is told apart from a cell that has none.
func TestACommandSaysThatTheMasterIsNotCalled(t *testing.T) {
	t.Parallel()
	_, file := startDev(t)
	cell, err := client.ParseTarget(file)
	require.NoError(t, err)
	code, out, said := run(t, "status", "--cell", file, "-o", "json")
	require.Equal(t, cli.ExitClean, code, said)
	var got status
	require.NoError(t, json.Unmarshal([]byte(out), &got), out)
	other := got.Master%3 + 1
	code, _, said = run(t, "ls", "--cell", fmt.Sprintf("%d=%s", other, cell.Replicas[other]), "--timeout", "500ms")
	require.Equal(t, cli.ExitTimeout, code, said)
	require.Contains(t, said, fmt.Sprintf("replica %d leads, and its address is not given", got.Master))
}
