package wal

import (
	"encoding/binary"
	"slices"
)

// manifest lists the segments of the log. Everything in its segments but the last is durable: a
// segment is synced before the next one is listed.
type manifest struct {
	next     uint64    // number of the next segment
	segments []segment // in order; empty only before the first
}

const (
	manifestName    = "manifest"
	manifestVersion = 1
	manifestFixed   = 16
	manifestRecord  = 16
)

// last returns the segment to which the log writes.
func (m manifest) last() segment { return m.segments[len(m.segments)-1] }

// with returns a copy with one more segment.
func (m manifest) with(s segment) manifest {
	return manifest{next: s.number + 1, segments: append(slices.Clone(m.segments), s)}
}

// without returns a copy without the segments that have nothing at or above lsn. The last one
// stays.
func (m manifest) without(lsn LSN) manifest {
	i := 0
	for i+1 < len(m.segments) && m.segments[i+1].first <= lsn {
		i++
	}
	return manifest{next: m.next, segments: slices.Clone(m.segments[i:])}
}

func (m manifest) encode() []byte {
	b := make([]byte, 0, manifestFixed+manifestRecord*len(m.segments))
	b = binary.LittleEndian.AppendUint16(b, manifestVersion)
	b = append(b, 0, 0)
	b = binary.LittleEndian.AppendUint64(b, m.next)
	b = binary.LittleEndian.AppendUint32(b, uint32(len(m.segments)))
	for _, s := range m.segments {
		b = binary.LittleEndian.AppendUint64(b, s.number)
		b = binary.LittleEndian.AppendUint64(b, uint64(s.first))
	}
	return b
}

// decodeManifest decodes what encode made; file is for the error. The register's checksum was
// correct, so an error here was written.
func decodeManifest(b []byte, file string) (manifest, error) {
	if len(b) < manifestFixed {
		return manifest{}, damaged(file, 0, "manifest of %d bytes", len(b))
	}
	if v := binary.LittleEndian.Uint16(b); v != manifestVersion {
		return manifest{}, wrongVersion(file, v, manifestVersion)
	}
	m := manifest{next: binary.LittleEndian.Uint64(b[4:])}
	n, rest := binary.LittleEndian.Uint32(b[12:]), b[manifestFixed:]
	if uint64(len(rest)) != uint64(n)*manifestRecord {
		return manifest{}, damaged(file, 0, "manifest of %d bytes for %d segments", len(b), n)
	}
	for i := 0; i < len(rest); i += manifestRecord {
		s := segment{number: binary.LittleEndian.Uint64(rest[i:]), first: LSN(binary.LittleEndian.Uint64(rest[i+8:]))}
		if s.first == 0 || s.number >= m.next || i > 0 && (s.first < m.last().first || s.number <= m.last().number) {
			return manifest{}, damaged(file, 0, "manifest with segment %d from #%d out of order", s.number, s.first)
		}
		m.segments = append(m.segments, s)
	}
	return m, nil
}
