package peer

import (
	"bytes"
	"errors"
	"fmt"
	"net"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/chubbycell/chubby/internal/transport/loopback"
	"github.com/chubbycell/chubby/paxos"
)

// Both ends of a connection are told the other's disk before it is used, and may refuse it.
func TestAPeerWithAnotherDiskIsRefusedAloudAtBothEnds(t *testing.T) {
	mine, other := Disk{1}, Disk{2}
	met := make(chan paxos.NodeID, 1000)
	meet := func(known Disk) func(paxos.NodeID, Disk) error {
		return func(from paxos.NodeID, d Disk) error {
			met <- from
			if d != known {
				return errors.New("its disk is another one")
			}
			return nil
		}
	}
	a, b := two(t, func(a, b *Config) {
		a.Disk, b.Disk = mine, other
		a.Meet, b.Meet = meet(other), meet(mine)
	})
	a.connected(t)
	b.connected(t)
	seen := map[paxos.NodeID]int{}
	for range 4 { // each end of both connections
		seen[<-met]++
	}
	require.Equal(t, map[paxos.NodeID]int{1: 2, 2: 2}, seen)
	b.Send(1, []byte("x"))
	a.log.says(t, "level=INFO", "connection of peer accepted", "peer=2")

	a, b = two(t, func(a, b *Config) {
		a.Disk, b.Disk = Disk{9}, other
		a.Meet, b.Meet = meet(other), meet(mine)
	})
	a.log.says(t, "level=ERROR", "refused by replica 2", "its disk is another one")
	b.log.says(t, "level=ERROR", "its disk is another one", "peers there")
	b.log.says(t, "level=ERROR", "peer refused", "peer=1", "its disk is another one")
	a.Send(2, []byte("x"))
	b.Send(1, []byte("x"))
	require.False(t, a.Status()[0].Connected || b.Status()[0].Connected)
	require.Empty(t, a.got)
	require.Empty(t, b.got)
	a.Close() // after which its log is whole
	require.NotContains(t, a.log.String(), "connection of peer accepted", "b hung up after each handshake")
}

// A replica of a build before, which says no formats, or knows no identities or disks either, is talked to in its version.
func TestAReplicaOfAVersionBeforeIsReachedAndReaches(t *testing.T) {
	for v := uint16(oldest); v < version; v++ {
		t.Run(fmt.Sprint("version ", v), func(t *testing.T) { reachesVersion(t, v) })
	}
}

func reachesVersion(t *testing.T, v uint16) {
	disk := Disk{}
	if v > 1 {
		disk = Disk{1}
	}
	said := Identity(0)
	if v > 2 {
		said = 7
	}
	old, err := loopback.Listen()
	require.NoError(t, err)
	l, err := loopback.Listen()
	require.NoError(t, err)
	c, e := config(l, 1)
	c.Peers[2], c.Disk = old.Addr().String(), Disk{1}
	c.Meet = func(paxos.NodeID, Disk) error { return errors.New("it names no disk") }
	c.Identity = func() Identity { return 7 }
	defer old.Close()
	e.start(t, c)

	// It refuses the newest version and closes, as such a build does, and accepts its own.
	dialed := func() (net.Conn, hello) {
		conn, err := old.Accept()
		require.NoError(t, err)
		require.NoError(t, conn.SetDeadline(time.Now().Add(wait)))
		h, err := readHello(conn)
		require.NoError(t, err)
		return conn, h
	}
	conn, h := dialed()
	require.EqualValues(t, version, h.version)
	require.EqualValues(t, 7, h.identity)
	require.NoError(t, answer{version: v, id: 2, cell: "test", reason: "it speaks another version"}.write(conn))
	conn.Close()
	conn, h = dialed()
	require.Equal(t, hello{version: v, from: 1, to: 2, cell: "test", disk: disk, identity: said, formats: unsaid}, h)
	require.NoError(t, answer{version: v, id: 2, cell: "test"}.write(conn))
	e.connected(t)
	e.Send(2, []byte("to the old one"))
	got, err := readFrame(conn, 100)
	require.NoError(t, err)
	require.Equal(t, "to the old one", string(got))
	conn.Close()

	back, err := net.Dial("tcp", e.addr)
	require.NoError(t, err)
	defer back.Close()
	require.NoError(t, back.SetDeadline(time.Now().Add(wait)))
	require.NoError(t, hello{version: v, from: 2, to: 1, cell: "test"}.write(back))
	a, err := readAnswer(back)
	require.NoError(t, err)
	require.Equal(t, answer{version: v, id: 1, cell: "test", disk: disk, identity: said, formats: unsaid}, a)
	var frame bytes.Buffer
	require.NoError(t, writeFrame(&frame, []byte("from the old one")))
	_, err = back.Write(frame.Bytes())
	require.NoError(t, err)
	require.Equal(t, "2: from the old one", e.next(t))
}
