//go:build unix

package cellcmd

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/chubbycell/chubby/client"
	"github.com/chubbycell/chubby/internal/cli"
	"github.com/chubbycell/chubby/internal/schema"
)

// A session with more handles and locks than one answer of a replica has is shown whole, and each of its locks with
// its holder.
func TestASessionWithManyLocksIsShownWhole(t *testing.T) {
	t.Parallel()
	_, file := startDev(t)
	ctx, cancel := context.WithTimeout(context.Background(), wait)
	defer cancel()
	c, err := client.Dial(ctx, file)
	require.NoError(t, err)
	defer c.Close(context.Background())
	const files, locked = 1250, 850 // the answers have 400 of each at most
	const openers = 50
	var failed [openers]error
	var wg sync.WaitGroup
	for o := range openers {
		wg.Go(func() {
			for i := o; i < files && failed[o] == nil; i += openers {
				h, err := c.Open(ctx, fmt.Sprintf("/ls/local/%d", i), client.OpenOptions{Rights: client.Write, Create: client.CreateMay})
				if err == nil && i < locked {
					_, err = h.TryAcquire(ctx, client.Exclusive)
				}
				failed[o] = err
			}
		})
	}
	wg.Wait()
	require.NoError(t, errors.Join(failed[:]...))

	var held lockList
	code, out, said := run(t, "session", "locks", "--cell", file, "-o", "json")
	require.Equal(t, cli.ExitClean, code, said)
	require.Equal(t, sessionLocksSchema, schema.Accept(t, project, []byte(out)))
	require.NoError(t, json.Unmarshal([]byte(out), &held))
	locks := held.Locks
	require.Equal(t, locked, len(locks))
	names := map[string]bool{}
	for _, l := range locks {
		require.Equal(t, []any{uint64(c.Status().Session), "exclusive", "valid"}, []any{l.Session, l.Mode, l.State})
		names[l.Path] = true
	}
	require.Equal(t, locked, len(names))
	for _, i := range []int{0, locked - 1} {
		code, out, said = run(t, "session", "locks", "--cell", file, fmt.Sprint("/", i))
		require.Equal(t, cli.ExitClean, code, said)
		require.Equal(t, 2, strings.Count(out, "\n"), "a heading, and a line: %s", out)
	}
	code, out, said = run(t, "session", "locks", "--cell", file, "/mistyped")
	require.Equal(t, cli.ExitClean, code, said)
	require.Equal(t, 1, strings.Count(out, "\n"), "a heading: %s", out)
	require.Regexp(t, `no session holds the lock of /ls/\S+/mistyped; chubby stat /ls/\S+/mistyped says whether there is such a node`, said)
	var s sessionRow
	code, out, said = run(t, "session", "show", "--cell", file, "-o", "json", fmt.Sprint(locks[0].Session))
	require.Equal(t, cli.ExitClean, code, said)
	require.Equal(t, sessionSchema, schema.Accept(t, project, []byte(out)))
	require.NoError(t, json.Unmarshal([]byte(out), &s))
	require.Equal(t, []int{files, locked, files, locked}, []int{len(s.Open), len(s.Held), int(s.Handles), int(s.Locks)})
	names = map[string]bool{}
	for _, h := range s.Open {
		names[h.Path] = true
	}
	require.Equal(t, files, len(names))
}

// The list of a caller that is no operator lacks the sessions of other principals, and their locks: the command says so.
func TestACallerIsToldThatItSeesItsOwnSessions(t *testing.T) {
	t.Parallel()
	dir, at := t.TempDir(), freeAddr(t)
	write := writesTo(t, dir)
	secrets := map[string]string{"ann": strings.Repeat("a", 24), "bob": strings.Repeat("b", 24)}
	cells, tokens := map[string]string{}, ""
	for who, secret := range secrets {
		tokens += who + " " + secret + "\n"
		text, err := json.Marshal(client.Target{Cell: "prod", Replicas: map[uint32]string{1: at}, TokenFile: write(who, secret)})
		require.NoError(t, err)
		cells[who] = write(who+".json", string(text))
	}
	config := write("cell.yaml", "cell: prod\nid: 1\noperators: bob\nmembers:\n  1: "+freeAddr(t)+"\n")
	start(t, "serve", "--config", config, "--dir", filepath.Join(dir, "1"), "--listen-clients", at, "--token-file", write("tokens", tokens), "--bootstrap")
	l := start(t, "lock", "--cell", cells["bob"], "/l", "--", "sh", "-c", "echo held; exec sleep 1000")
	l.says(t, "held")
	for _, command := range [][]string{{"session", "locks", "/l"}, {"session", "list"}} {
		code, out, said := run(t, append(command, "--cell", cells["bob"])...)
		require.Equal(t, cli.ExitClean, code, said)
		require.Contains(t, out, "bob")
		require.Empty(t, said)
		code, out, said = run(t, append(command, "--cell", cells["ann"])...)
		require.Equal(t, cli.ExitClean, code, said)
		require.NotContains(t, out, "bob")
		require.Contains(t, said, "these are sessions of this caller's own principal: only operators see all")
	}
}
