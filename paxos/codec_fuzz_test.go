package paxos

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// What decodes, is a message a correct node could send, encodes again, and
// decodes to the same.
func FuzzDecodeMessage(f *testing.F) {
	for _, g := range goldenMessages {
		f.Add(unhex(f, g.hex))
	}
	f.Fuzz(func(t *testing.T, b string) {
		m, err := DecodeMessage(b)
		if err != nil {
			require.ErrorIs(t, err, ErrMalformed)
			require.Nil(t, m)
			return
		}
		require.Empty(t, Invalid(m))
		again, err := DecodeMessage(string(AppendMessage(nil, m)))
		require.NoError(t, err)
		require.Equal(t, m, again)
	})
}

func FuzzDecodeRecord(f *testing.F) {
	for _, g := range goldenRecords {
		f.Add(g.kind, []byte(unhex(f, g.tag)), g.data)
	}
	f.Fuzz(func(t *testing.T, kind uint8, tag []byte, data string) {
		r, err := DecodeRecord(kind, tag, data)
		if err != nil {
			require.Nil(t, r)
			return
		}
		k, tg, d := EncodeRecord(r)
		again, err := DecodeRecord(k, tg[:], d)
		require.NoError(t, err)
		require.Equal(t, r, again)
	})
}

// A valid value is exactly its commands.
func FuzzValue(f *testing.F) {
	f.Add("\x01a\x02bc")
	f.Add("")
	f.Add("\x80\x00")
	f.Fuzz(func(t *testing.T, s string) {
		v := Value(s)
		if !v.Valid() {
			return
		}
		size, n := 0, 0
		for i, c := range v.Commands {
			require.Equal(t, n, i)
			size, n = size+len(c), n+1
		}
		require.Equal(t, n, v.Len())
		require.LessOrEqual(t, size+n, len(v), "each command has a length of at least one byte")
	})
}
