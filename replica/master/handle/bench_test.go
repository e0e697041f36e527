package handle_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/chubbycell/chubby/replica/api"
	"github.com/chubbycell/chubby/replica/master/handle"
)

func someHandle(t testing.TB) (handle.Sealer, handle.Handle) {
	s, err := handle.NewSealer(handle.Secret{1})
	require.NoError(t, err)
	path, err := api.ParsePath("/some/node")
	require.NoError(t, err)
	return s, handle.Handle{
		ID: api.HandleID{Epoch: 1, Counter: 7}, Session: 9, Node: api.Ref{Path: path, Instance: 3}, Kind: api.File, Rights: api.RightWrite,
	}
}

// A token is checked at each call by handle, so the check allocates nothing but the path.
func TestATokenIsCheckedWithoutGarbage(t *testing.T) {
	s, h := someHandle(t)
	token := s.Seal(h)
	allocated := testing.AllocsPerRun(100, func() {
		if _, v := s.Unseal(token); v != handle.Good {
			t.Fail()
		}
	})
	require.LessOrEqual(t, allocated, 1.0)
}

func BenchmarkUnseal(b *testing.B) {
	s, h := someHandle(b)
	token := s.Seal(h)
	b.ReportAllocs()
	for b.Loop() {
		s.Unseal(token)
	}
}

// All clients of a large cell watch one node. A client that closes a handle asks whether it still does.
func BenchmarkIsWatching(b *testing.B) {
	s, h := someHandle(b)
	t := handle.New(1, s, handle.DefaultLimits)
	const clients = 50_000
	for id := api.SessionID(1); id <= clients; id++ {
		t.Open(handle.Opening{Session: id, Seq: 1, Node: h.Node, Kind: api.File, Rights: api.RightRead, Events: 1})
	}
	t.Open(handle.Opening{Session: clients + 1, Seq: 1, Node: h.Node, Kind: api.File, Rights: api.RightRead})
	for b.Loop() {
		if t.IsWatching(clients+1, h.Node) {
			b.Fatal("it watches nothing")
		}
	}
}
