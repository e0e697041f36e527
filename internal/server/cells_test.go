package server_test

import (
	"context"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/chubbycell/chubby/client"
	"github.com/chubbycell/chubby/client/recipe"
	"github.com/chubbycell/chubby/internal/server"
)

// One Client calls two cells whose replicas have the same ids. Its name takes each call to its cell, and it leads in
// both. A fail-over of one cell, and its end, leave the session with the other one alone.
func TestOneClientCallsTwoCells(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithTimeout(context.Background(), 2*time.Minute)
	defer cancel()
	near, far := newCellNamed(t, "near", 1), newCellNamed(t, "far", 3)
	c, err := client.Dial(ctx, near.target(), client.WithName("near"), client.WithCell("far", far.target()))
	require.NoError(t, err)
	events := c.Events()
	terms := map[string]*recipe.Term{}
	for _, cell := range []string{"local", "far"} {
		terms[cell], err = recipe.Campaign(ctx, c, recipe.Candidate{File: "/ls/" + cell + "/leader", Address: "of " + cell})
		require.NoError(t, err)
	}
	for name, x := range map[string]*cell{"near": near, "far": far} {
		alone, err := client.Dial(ctx, x.target(), client.WithName(name))
		require.NoError(t, err)
		f, err := alone.Open(ctx, "/ls/"+name+"/leader", client.OpenOptions{Rights: client.Read})
		require.NoError(t, err)
		text, _, err := f.Contents(ctx)
		require.NoError(t, err)
		require.Equal(t, map[string]string{"near": "of local", "far": "of far"}[name], text)
		require.NoError(t, alone.Close(ctx))
	}
	_, err = c.Serving(ctx, client.Replica{Cell: "far", ID: 3})
	require.NoError(t, err)
	_, err = c.Serving(ctx, client.Replica{ID: 3})
	require.ErrorContains(t, err, "replica 3 is not in the target", "the cell near has one replica")

	master := uint32(far.servers[1].Status().Leader)
	require.NotZero(t, master)
	far.stop(master)
	e, err := events.Next(ctx)
	for ; err == nil && e.Kind != client.EventFailover; e, err = events.Next(ctx) {
		require.Equal(t, "far", e.Cell)
	}
	require.NoError(t, err)
	require.Equal(t, "far", e.Cell)
	require.NoError(t, terms["far"].Update(ctx, "still of far"), "the term survives the fail-over")
	require.NoError(t, c.Put(ctx, "row", "1"))

	for id := range uint32(3) {
		far.stop(id + 1)
	}
	short, cancelShort := context.WithTimeout(ctx, time.Second)
	defer cancelShort()
	_, err = c.Open(short, "/ls/far/g", client.OpenOptions{Create: client.CreateMay})
	require.ErrorIs(t, err, context.DeadlineExceeded)
	require.ErrorContains(t, err, "connection refused", "the error has the reason")
	require.ErrorContains(t, c.Unreached(), "cell far: replica ")
	require.True(t, terms["local"].IsLeader())
	require.NoError(t, c.Put(ctx, "row", "2"))
	over, stop := context.WithCancel(ctx)
	stop()
	require.ErrorIs(t, c.Close(over), client.ErrOutcomeUnknown, "the session with the far cell is left there")
}

// Dial does not wait for another cell. Replicas of a cell with another name refuse the Client.
func TestDialDoesNotWaitForOtherCells(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	near, far := newCellNamed(t, "near", 1), newCellNamed(t, "far", 1)
	down := listen(t)
	require.NoError(t, down.Close())
	c, err := client.Dial(ctx, near.target(), client.WithCell("down", "1="+down.Addr().String()), client.WithCell("wide", far.target()))
	require.NoError(t, err)
	for cell, why := range map[string]string{"down": "connection refused", "wide": `this is a replica of cell "far", not of "wide"`} {
		short, cancelShort := context.WithTimeout(ctx, time.Second)
		_, err = c.Open(short, "/ls/"+cell+"/f", client.OpenOptions{})
		cancelShort()
		require.ErrorIs(t, err, context.DeadlineExceeded)
		require.ErrorContains(t, err, why)
	}
	require.NoError(t, c.Put(ctx, "row", "1"))
	over, stop := context.WithCancel(ctx)
	stop()
	require.ErrorIs(t, c.Close(over), client.ErrOutcomeUnknown, "an answer of the other cells may come")
}

// A cell gets the token that is meant for it, and no other: a cell without tokens refuses any.
func TestEachCellHasItsOwnProof(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	open := newCellNamed(t, "open", 1)
	const ann = "ann-ann-ann-ann-ann-ann-ann"
	tokens := filepath.Join(t.TempDir(), "tokens")
	require.NoError(t, os.WriteFile(tokens, []byte("ann "+ann+"\n"), 0o600))
	peers, clients := listen(t), listen(t)
	s, err := server.Start(server.Config{
		Cell: "shut", ID: 1, Members: map[uint32]string{1: peers.Addr().String()}, Dir: filepath.Join(t.TempDir(), "1"),
		ListenClients: clients.Addr().String(), TokenFile: tokens,
	}, server.Options{Bootstrap: true, Peers: peers, Clients: clients})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, s.Stop(context.Background())) })
	shut := "1=" + clients.Addr().String()
	for name, dial := range map[string]func() (*client.Client, error){
		"open": func() (*client.Client, error) {
			return client.Dial(ctx, shut, client.WithToken(ann), client.WithCell("open", open.target()))
		},
		"shut": func() (*client.Client, error) {
			return client.Dial(ctx, open.target(), client.WithCell("shut", shut, client.WithToken(ann)))
		},
	} {
		c, err := dial()
		require.NoError(t, err)
		for _, cell := range []string{"local", name} {
			_, err := c.Open(ctx, "/ls/"+cell+"/of-"+name, client.OpenOptions{Create: client.CreateMay})
			require.NoError(t, err)
		}
		require.NoError(t, c.Close(ctx))
	}
}
