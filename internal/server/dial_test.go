package server_test

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/chubbycell/chubby/client"
)

// A target without the master: the error says where the master is.
func TestDialSaysWhoTheMasterIs(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	c := newCell(t, 3)
	whole, err := client.Dial(ctx, c.target())
	require.NoError(t, err)
	require.NoError(t, whole.Close(ctx))
	var master uint32
	require.Eventually(t, func() bool { master = uint32(c.servers[1].Status().Leader); return master != 0 }, 20*time.Second, time.Millisecond)

	other := master%3 + 1
	short, cancelShort := context.WithTimeout(ctx, 2*time.Second)
	defer cancelShort()
	_, err = client.Dial(short, fmt.Sprintf("%d=%s", other, c.cfgs[other-1].ListenClients))
	require.ErrorIs(t, err, context.DeadlineExceeded)
	require.ErrorContains(t, err, fmt.Sprintf("replica %d at %s answers, and names replica %d as the master, which the target does not list", other, c.cfgs[other-1].ListenClients, master))
}

// A cell is called by its own name only.
func TestDialChecksTheNameOfTheCell(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	c := newCell(t, 1)
	name := c.cfgs[0].Cell
	_, err := client.Dial(ctx, c.target(), client.WithName("prod"))
	require.ErrorIs(t, err, client.ErrInvalid)
	require.ErrorContains(t, err, fmt.Sprintf("this is a replica of cell %q, not of \"prod\"", name))

	cl, err := client.Dial(ctx, c.target())
	require.NoError(t, err)
	_, err = cl.Open(ctx, "/ls/"+name+"/f", client.OpenOptions{Create: client.CreateMay})
	require.ErrorContains(t, err, "write /ls/local, or give Dial the name of its cell by WithName or a cell file")
	require.NoError(t, cl.Close(ctx))

	cl, err = client.Dial(ctx, c.target(), client.WithName(name))
	require.NoError(t, err)
	_, err = cl.Open(ctx, "/ls/"+name+"/f", client.OpenOptions{Create: client.CreateMay})
	require.NoError(t, err)
	_, err = cl.Open(ctx, "/ls/far/f", client.OpenOptions{})
	require.ErrorContains(t, err, fmt.Sprintf("the Client was dialed to cell %s; give Dial the other one by WithCell", name))
	require.NoError(t, cl.Close(ctx))
}
