package wal_test

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/chubbycell/chubby/wal"
	"github.com/chubbycell/chubby/wal/vfs"
)

// agree opens a log, and checks that Verify said the same of it before, and Dump
// what of it is damage; neither changes anything. It returns what Open and Dump said.
func agree(t *testing.T, m *vfs.Mem, watermark wal.LSN) (r wal.Recovery, dumped []string, opened error) {
	t.Helper()
	m.SetFault(func(c vfs.Call) vfs.Fault {
		require.False(t, c.Op.CanChange(), "%v of %s", c.Op, c.Name)
		return vfs.Fault{}
	})
	verified, verdict := wal.Verify(m, dir, watermark)
	var out bytes.Buffer
	told := wal.Dump(m, dir, &out)
	m.SetFault(nil)
	_, r, opened = wal.Open(m, dir, wal.Options{Watermark: watermark})
	require.Equal(t, r, verified)
	if opened == nil {
		require.NoError(t, verdict)
	} else {
		require.EqualError(t, verdict, opened.Error())
	}
	dumped = lines(told)
	if watermark > 0 {
		return r, dumped, opened // which Dump does not know
	}
	switch {
	case opened != nil:
		require.NotEmpty(t, dumped)
		require.Contains(t, dumped[0], opened.Error())
		require.Contains(t, dumped[0], "recovery refuses the log")
	default:
		require.Len(t, dumped, len(r.Damaged), "%v", told)
		for i, d := range r.Damaged {
			require.Contains(t, dumped[i], fmt.Sprintf("%s: damaged at offset %d: data of #%d;", d.File, d.Offset, d.LSN))
			require.Contains(t, dumped[i], "recovery reports")
		}
	}
	require.Equal(t, r.Torn != nil, bytes.Contains(out.Bytes(), []byte("recovery cuts it")), out.String())
	require.Equal(t, len(r.Repaired), bytes.Count(out.Bytes(), []byte("recovery writes it anew")), out.String())
	return r, dumped, opened
}

// lines are the errors that were joined, each of one line.
func lines(err error) []string {
	if err == nil {
		return nil
	}
	return strings.Split(err.Error(), "\n")
}

// Four segments of two entries each, all of which but the last is known to be
// durable; and each kind of harm.
func TestDumpJudgesAsRecoveryDoes(t *testing.T) {
	file := func(n int) string { return fmt.Sprintf("%s/%016x.wal", dir, n) }
	const second = 36 + 74 // frame of a segment's second entry
	manifests := [2]string{dir + "/manifest.a", dir + "/manifest.b"}
	for name, c := range map[string]struct {
		harm      func(m *vfs.Mem) error
		watermark wal.LSN
		lost      []wal.LSN
		refused   string
		torn      bool
	}{
		"none":                    {harm: func(*vfs.Mem) error { return nil }},
		"data, last of a segment": {harm: func(m *vfs.Mem) error { return m.Corrupt(file(2), second+inData, 1) }, lost: []wal.LSN{4}},
		"data, in two segments": {harm: func(m *vfs.Mem) error {
			return errors.Join(m.Corrupt(file(1), 36+inData, 1), m.Corrupt(file(3), second+inData, 1))
		}, lost: []wal.LSN{1, 6}},
		"header, last of a segment":  {harm: func(m *vfs.Mem) error { return m.Corrupt(file(2), second+inHeader, 1) }, refused: "#4 is unreadable; the next segment begins with #5"},
		"header, first of a segment": {harm: func(m *vfs.Mem) error { return m.Corrupt(file(3), 36+inHeader, 1) }, refused: "#5 is unreadable; the next segment begins with #7"},
		"a segment is gone":          {harm: func(m *vfs.Mem) error { return m.Remove(file(2)) }, refused: "the segment is gone"},
		"the last segment is gone":   {harm: func(m *vfs.Mem) error { return m.Remove(file(4)) }, refused: "the segment is gone"},
		"a segment cut short":        {harm: func(m *vfs.Mem) error { return truncate(m, file(2), second) }, refused: "#4 is unreadable; the next segment begins with #5"},
		"a segment cut to nothing":   {harm: func(m *vfs.Mem) error { return truncate(m, file(2), 0) }, refused: "no segment header"},
		"two refused":                {harm: func(m *vfs.Mem) error { return errors.Join(m.Remove(file(1)), m.Remove(file(3))) }, refused: "the segment is gone"},
		"segments swapped":           {harm: func(m *vfs.Mem) error { return m.Rename(file(1), file(3)) }, refused: "the segment is gone"},
		"a header of a segment":      {harm: func(m *vfs.Mem) error { return m.Corrupt(file(2), 9, 1) }, refused: "checksum of the segment header"},
		"the last data":              {harm: func(m *vfs.Mem) error { return m.Corrupt(file(4), second+inData, 1) }, torn: true},
		"the last header":            {harm: func(m *vfs.Mem) error { return m.Corrupt(file(4), second+inHeader, 1) }, torn: true},
		"the last segment's first":   {harm: func(m *vfs.Mem) error { return m.Corrupt(file(4), 36+inData, 1) }, lost: []wal.LSN{7}},
		"known elsewhere":            {harm: func(m *vfs.Mem) error { return truncate(m, file(4), second) }, watermark: 8, refused: "#8 is unreadable"},
		"a file not listed":          {harm: func(m *vfs.Mem) error { return m.Rename(file(1), file(9)) }, refused: "the segment is gone"},
		"a copy of the manifest":     {harm: func(m *vfs.Mem) error { return m.Corrupt(manifests[0], 30, 1) }},
		"a copy gone":                {harm: func(m *vfs.Mem) error { return m.Remove(manifests[1]) }},
		"both copies": {harm: func(m *vfs.Mem) error {
			return errors.Join(m.Corrupt(manifests[0], 30, 1), m.Corrupt(manifests[1], 30, 1))
		}, refused: "neither copy of the register can be read"},
		"both copies gone": {harm: func(m *vfs.Mem) error { return errors.Join(m.Remove(manifests[0]), m.Remove(manifests[1])) }, refused: "no manifest, but 4 segments"},
	} {
		t.Run(name, func(t *testing.T) {
			m, w := vfs.NewMem(), &twin{}
			l := w.open(t, m, wal.Options{SegmentSize: 200, Salt: salts(3)})
			for range 8 {
				require.NoError(t, w.append(l, 1, 40, 0))
				require.NoError(t, w.sync(l))
			}
			require.NoError(t, l.Close())
			require.NoError(t, c.harm(m))
			r, dumped, opened := agree(t, m, c.watermark)
			var lost []wal.LSN
			for _, d := range r.Damaged {
				lost = append(lost, d.LSN)
			}
			require.Equal(t, c.lost, lost)
			require.Equal(t, c.torn, r.Torn != nil)
			if c.refused == "" {
				require.NoError(t, opened)
				return
			}
			require.ErrorContains(t, opened, c.refused)
			if name == "two refused" {
				require.Len(t, dumped, 2, "the second one is told too")
			}
		})
	}
}

// What Open would make anew is no damage, and what is no log is none.
func TestVerifyOfALogThatIsNotThere(t *testing.T) {
	m := vfs.NewMem()
	_, err := wal.Verify(m, dir, 0)
	require.ErrorIs(t, err, fs.ErrNotExist)
	require.NoError(t, m.MkdirAll(dir))
	r, err := wal.Verify(m, dir, 0)
	require.NoError(t, err)
	require.Equal(t, wal.Recovery{Created: true, First: 1, Next: 1}, r)
	_, err = wal.Verify(m, dir, 1)
	require.ErrorIs(t, err, wal.ErrDamaged)
}
