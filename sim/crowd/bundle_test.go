package crowd

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestBundles(t *testing.T) {
	var b bundle
	want := []string{"one", "", "another"}
	for i, s := range want {
		b.add(1000*i, []byte(s))
	}
	var got []string
	b.each(func(i int, msg []byte) {
		require.Equal(t, 1000*len(got), i)
		got = append(got, string(msg))
	})
	require.Equal(t, want, got)
}
