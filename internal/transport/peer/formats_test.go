package peer

import (
	"bytes"
	"errors"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/chubbycell/chubby/internal/transport/loopback"
	"github.com/chubbycell/chubby/internal/versions"
	"github.com/chubbycell/chubby/paxos"
)

// The bytes of a handshake are a contract with other programs.
func TestTheHandshakeSaysTheFormatsAtItsEnd(t *testing.T) {
	f := Formats{Messages: versions.Range{Oldest: 2, Newest: 3}, Commands: versions.Range{Oldest: 4, Newest: 5}}
	var b bytes.Buffer
	require.NoError(t, hello{version: 4, from: 1, to: 2, cell: "c", disk: Disk{9}, identity: 7, formats: f}.write(&b))
	require.Equal(t, "chubbypr\x00\x04\x00\x00\x00\x01\x00\x00\x00\x02\x01c\x09"+string(make([]byte, 15+7))+"\x07\x02\x03\x04\x05", b.String())
	h, err := readHello(&b)
	require.NoError(t, err)
	require.Equal(t, f, h.formats)
}

// programs starts replicas 1 and 2 with the programs that change makes of their Configs.
func programs(t *testing.T, change func(one, other *Config)) (a, b *end) {
	t.Helper()
	la, err := loopback.Listen()
	require.NoError(t, err)
	lb, err := loopback.Listen()
	require.NoError(t, err)
	ca, a := config(la, 1)
	cb, b := config(lb, 2)
	ca.Peers[2], cb.Peers[1] = b.addr, a.addr
	change(&ca, &cb)
	return a.start(t, ca), b.start(t, cb)
}

func knows(oldest, newest, commands byte) Formats {
	return Formats{Messages: versions.Range{Oldest: oldest, Newest: newest}, Commands: versions.Range{Oldest: 3, Newest: commands}}
}

// in stands for the translation of a message: it writes the version in front.
func in(wire []byte, to byte) ([]byte, error) {
	if string(wire) == "no such" {
		return nil, errors.New("too new")
	}
	return append([]byte{'v', '0' + to, ' '}, wire...), nil
}

// Two programs talk in the highest version that both know: the newer one translates what it sends, and each knows what the
// other one can do for as long as it is connected.
func TestTwoProgramsTalkInTheHighestVersionThatBothKnow(t *testing.T) {
	a, b := programs(t, func(one, other *Config) {
		one.Formats, other.Formats = knows(2, 4, 5), knows(1, 3, 4)
		one.Translate = in
		other.Translate = func([]byte, byte) ([]byte, error) { return nil, errors.New("its newest is the common one") }
	})
	a.connected(t)
	b.connected(t)
	a.Send(2, []byte("hello"))
	require.Equal(t, "1: v3 hello", b.next(t))
	b.Send(1, []byte("hello"))
	require.Equal(t, "2: hello", a.next(t))
	require.Equal(t, knows(1, 3, 4), a.Status()[0].Formats)
	require.Equal(t, knows(2, 4, 5), b.Status()[0].Formats)
	require.EqualValues(t, 3, a.Status()[0].Speaks)
	require.EqualValues(t, 3, b.Status()[0].Speaks)

	a.Send(2, []byte("no such"))
	a.log.says(t, "a datagram has no form in version 3: too new")
	b.Close()
	require.Eventually(t, func() bool { return !a.Status()[0].Connected }, wait, time.Millisecond)
	require.Zero(t, a.Status()[0].Formats, "another program may take its place")
}

// Programs without a common version refuse each other; both logs name the older one, and say what to do.
func TestProgramsWithoutACommonVersionRefuseEachOther(t *testing.T) {
	for what, c := range map[string]struct {
		a, b Formats
		want string
	}{
		"the messages between replicas": {knows(3, 4, 3), knows(2, 2, 3), "knows versions 2 of the messages between replicas"},
		"the commands of the log":       {Formats{Messages: knows(2, 2, 0).Messages, Commands: versions.Range{Oldest: 4, Newest: 5}}, knows(2, 2, 3), "knows versions 3 of the commands of the log"},
	} {
		t.Run(what, func(t *testing.T) {
			a, b := programs(t, func(one, other *Config) { one.Formats, other.Formats, one.Translate = c.a, c.b, in })
			for _, e := range []*end{a, b} {
				e.log.says(t, "level=ERROR", what, "none is common to both", "Replica 2 has the older program: start it with a newer one")
				require.Eventually(t, func() bool {
					s := e.Status()[0]
					return !s.Connected && strings.Contains(s.Err, "none is common to both")
				}, wait, time.Millisecond)
			}
			a.log.says(t, c.want)
			require.Empty(t, a.got)
			require.Empty(t, b.got)
		})
	}
}

// A replica of an older program that is started after the cell has begun to use what only the newer one knows is refused,
// by whichever side; the one that knows it is not.
func TestAReplicaThatDoesNotKnowTheCommandsInUseIsRefused(t *testing.T) {
	var used atomic.Uint32
	used.Store(4)
	a, b := programs(t, func(one, other *Config) {
		one.Formats, other.Formats = knows(2, 2, 4), knows(2, 2, 3)
		one.CommandsInUse = func() byte { return byte(used.Load()) }
	})
	for _, e := range []*end{a, b} {
		e.log.says(t, "level=ERROR", "replica 2 knows the commands of the log up to version 3", "uses version 4", "Start replica 2 with the program of the other replicas")
	}
	require.False(t, a.Status()[0].Connected)
	used.Store(3)
	a.connected(t)
	b.connected(t)
}

func TestFormatsWithoutATranslationAreNoConfig(t *testing.T) {
	_, err := New(Config{Formats: knows(2, 3, 4)})
	require.ErrorContains(t, err, "messages of several versions, and there is no Translate")
	_, err = New(Config{Formats: Formats{Messages: versions.Range{Oldest: 2, Newest: 2}}, Peers: map[paxos.NodeID]string{}})
	require.ErrorContains(t, err, "a range without versions")
}
