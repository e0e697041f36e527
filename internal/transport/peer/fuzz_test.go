package peer

import (
	"bytes"
	"testing"

	"github.com/stretchr/testify/require"
)

// What a stranger sends is read within bounds, and what is read was written so.
func FuzzHello(f *testing.F) {
	var b bytes.Buffer
	_ = hello{version: version, from: 1, to: 2, cell: "test"}.write(&b)
	f.Add(bytes.Clone(b.Bytes()))
	b.Reset()
	_ = hello{version: oldest, from: 1, to: 2, cell: "test"}.write(&b)
	f.Add(b.Bytes())
	f.Add([]byte(magic))
	f.Fuzz(func(t *testing.T, wire []byte) {
		r := bytes.NewReader(wire)
		h, err := readHello(r)
		if err != nil || h.version < oldest || h.version > version {
			return
		}
		var again bytes.Buffer
		require.NoError(t, h.write(&again))
		require.Equal(t, wire[:len(wire)-r.Len()], again.Bytes())
	})
}

func FuzzAnswer(f *testing.F) {
	var b bytes.Buffer
	_ = answer{version: version, id: 1, cell: "test", reason: "no"}.write(&b)
	f.Add(b.Bytes())
	f.Fuzz(func(t *testing.T, wire []byte) {
		r := bytes.NewReader(wire)
		a, err := readAnswer(r)
		if err != nil {
			return
		}
		var again bytes.Buffer
		require.NoError(t, a.write(&again))
		require.Equal(t, wire[:len(wire)-r.Len()], again.Bytes())
	})
}

func FuzzFrame(f *testing.F) {
	var b bytes.Buffer
	_ = writeFrame(&b, []byte("datagram"))
	f.Add(b.Bytes())
	f.Add(make([]byte, 8))
	f.Fuzz(func(t *testing.T, wire []byte) {
		r := bytes.NewReader(wire)
		got, err := readFrame(r, 100)
		if err != nil {
			return
		}
		require.LessOrEqual(t, len(got), 100)
		var again bytes.Buffer
		require.NoError(t, writeFrame(&again, got))
		if len(got) > 0 {
			require.Equal(t, wire[:len(wire)-r.Len()], again.Bytes())
		}
	})
}
