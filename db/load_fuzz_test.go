package db_test

import (
	"bytes"
	"errors"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/chubbycell/chubby/db"
)

// For any bytes, Load returns a *FormatError, or rows that load as the same rows after they are
// written again.
func FuzzLoad(f *testing.F) {
	f.Add(stream(f, db.New(), 1))
	f.Add(stream(f, fill(db.New(), "a", "1", "b", "", "c", "two"), 5))
	f.Add(newCraft().rows("\x01b\x011\x01a\x011").b)
	f.Add([]byte("chubbydb"))
	f.Fuzz(func(t *testing.T, b []byte) {
		d, err := db.Load(bytes.NewReader(b))
		var bad *db.FormatError
		if errors.As(err, &bad) {
			require.True(t, 0 <= bad.Offset && bad.Offset <= int64(len(b)))
			return
		}
		require.NoError(t, err)
		d.Verify()
		again, err := db.Load(bytes.NewReader(stream(t, d, 7)))
		require.NoError(t, err)
		require.Equal(t, d.Checksum(), again.Checksum())
	})
}
