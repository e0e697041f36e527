package wal_test

import (
	"bytes"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/chubbycell/chubby/wal"
	"github.com/chubbycell/chubby/wal/vfs"
)

// vast is a disk on which each file but registers is as long as a sparse file may
// be.
type vast struct{ vfs.FS }

const vastSize = 600 << 30

func (v vast) Open(name string) (vfs.File, error) {
	f, err := v.FS.Open(name)
	if err != nil || strings.Contains(name, "manifest") {
		return f, err
	}
	return vastFile{f}, nil
}

type vastFile struct{ vfs.File }

func (vastFile) Size() (int64, error) { return vastSize, nil }

// What is no segment is not read as one, however long it is.
func TestFilesThatAreTooLong(t *testing.T) {
	m, w := vfs.NewMem(), &twin{}
	l := w.open(t, m, wal.Options{})
	require.NoError(t, l.Close())
	f, err := m.Create("noise")
	require.NoError(t, err)
	_, err = f.WriteAt([]byte("this is no log at all"), 0)
	require.NoError(t, err)

	err = wal.Dump(vast{m}, "noise", &bytes.Buffer{})
	require.ErrorIs(t, err, wal.ErrNotLog)
	require.EqualError(t, err, "wal: noise: not a log file, or one damaged in its first bytes")

	const why = "wal: " + firstFile + ": damaged at offset 268435456: 644245094400 bytes, of which a segment has at most 268435456"
	require.EqualError(t, wal.Dump(vast{m}, firstFile, &bytes.Buffer{}), why)
	_, _, err = wal.Open(vast{m}, dir, wal.Options{})
	require.EqualError(t, err, why)
}

func TestSegmentsThatAreTooLongAreNotMade(t *testing.T) {
	m, w := vfs.NewMem(), &twin{}
	_, _, err := wal.Open(m, dir, wal.Options{SegmentSize: wal.MaxSegmentSize + 1})
	require.ErrorContains(t, err, "segments of 268435457 bytes, at most 268435456")
	w.open(t, m, wal.Options{})
}
