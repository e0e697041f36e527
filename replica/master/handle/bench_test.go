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
