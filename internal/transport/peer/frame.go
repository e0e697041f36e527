package peer

import (
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"io"
)

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

const frameHeader = 8

// writeFrame writes one datagram, or a sign of life if wire is empty.
func writeFrame(w io.Writer, wire []byte) error {
	var h [frameHeader]byte
	binary.BigEndian.PutUint32(h[:], uint32(len(wire)))
	binary.BigEndian.PutUint32(h[4:], crc32.Checksum(wire, castagnoli))
	if _, err := w.Write(h[:]); err != nil {
		return err
	}
	_, err := w.Write(wire)
	return err
}

// readFrame reads one datagram, which is nil for a sign of life.
func readFrame(r io.Reader, most int) ([]byte, error) {
	var h [frameHeader]byte
	if _, err := io.ReadFull(r, h[:]); err != nil {
		return nil, err
	}
	n, sum := binary.BigEndian.Uint32(h[:]), binary.BigEndian.Uint32(h[4:])
	if uint64(n) > uint64(most) {
		return nil, fmt.Errorf("a frame of %d bytes; at most %d", n, most)
	}
	if n == 0 {
		return nil, nil
	}
	wire := make([]byte, n)
	if _, err := io.ReadFull(r, wire); err != nil {
		return nil, fmt.Errorf("within a frame: %w", err)
	}
	if crc32.Checksum(wire, castagnoli) != sum {
		return nil, fmt.Errorf("a frame of %d bytes has a wrong checksum", n)
	}
	return wire, nil
}
