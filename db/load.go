package db

import (
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io"

	"github.com/tidwall/btree"
)

// Load reads one stream written by WriteTo, exactly to its end, and returns its rows. A
// malformed or truncated stream gives a *FormatError with its offset; an error of r is wrapped
// together with the offset. Load allocates no memory for a length before it has received the
// bytes.
func Load(r io.Reader) (*DB, error) {
	l := loader{r: r, view: View{rows: new(btree.Map[string, string])}}
	if err := l.load(); err != nil {
		return nil, err
	}
	d := &DB{current: l.view}
	d.txn.db = d
	return d, nil
}

type loader struct {
	r    io.Reader
	off  int64 // of the next byte
	crc  uint32
	view View
	last string // key of the last row
	buf  []byte
}

func (l *loader) load() error {
	if err := l.header(); err != nil {
		return err
	}
	for {
		if more, err := l.part(); err != nil || !more {
			return err
		}
	}
}

func (l *loader) header() error {
	b, err := l.read(headerSize)
	if err != nil {
		return err
	}
	if string(b[:len(magic)]) != magic {
		return formatError(0, "not a stream of rows")
	}
	if v := binary.LittleEndian.Uint16(b[8:]); v != version {
		return &FormatError{Offset: 8, Reason: fmt.Sprintf("version %d, this program reads version %d", v, version), Version: true}
	}
	l.crc = crc32.Checksum(b[:12], castagnoli)
	if binary.LittleEndian.Uint32(b[12:]) != l.crc || b[10] != 0 || b[11] != 0 {
		return formatError(0, "damaged header")
	}
	return nil
}

// part reads a chunk or the trailer, which is the last part.
func (l *loader) part() (more bool, err error) {
	start := l.off
	prefix, err := l.read(prefixSize)
	if err != nil {
		return false, err
	}
	var head [prefixSize]byte
	copy(head[:], prefix)
	length := binary.LittleEndian.Uint32(head[:])
	if length > maxChunk {
		return false, formatError(start, "chunk of %d bytes, the maximum is %d", length, maxChunk)
	}
	if length == 0 {
		return false, l.trailer(start, head)
	}
	body, err := l.body(start, head, int(length))
	if err != nil {
		return false, err
	}
	return true, l.rows(start+prefixSize, body)
}

func (l *loader) body(start int64, head [prefixSize]byte, length int) ([]byte, error) {
	body, err := l.read(length)
	if err != nil {
		return nil, err
	}
	l.crc = partCRC(l.crc, head[:4], body)
	if l.crc != binary.LittleEndian.Uint32(head[4:]) {
		return nil, formatError(start, "wrong checksum of a part of %d bytes", length)
	}
	return body, nil
}

func (l *loader) rows(at int64, body []byte) error {
	for rest := body; len(rest) > 0; {
		n, err := l.row(at+int64(len(body)-len(rest)), rest)
		if err != nil {
			return err
		}
		rest = rest[n:]
	}
	return nil
}

// row decodes one row of b. Key and value share one string of their own, so that no row keeps
// its chunk in memory.
func (l *loader) row(at int64, b []byte) (int, error) {
	keyFrom, keyTo, ok := field(b, 0)
	if !ok {
		return 0, formatError(at, "key extends past its chunk")
	}
	valueFrom, valueTo, ok := field(b, keyTo)
	if !ok {
		return 0, formatError(at, "value extends past its chunk")
	}
	s := string(b[keyFrom:valueTo])
	key, value := s[:keyTo-keyFrom], s[valueFrom-keyFrom:]
	if l.view.Len() > 0 && key <= l.last {
		return 0, formatError(at, "key %.40q follows %.40q", key, l.last)
	}
	if len(key)+len(value) > MaxRow {
		return 0, formatError(at, "row of %d+%d bytes, the maximum is %d", len(key), len(value), MaxRow)
	}
	l.view.rows.Load(key, value)
	l.view.addRow(key, value)
	l.last = key
	return valueTo, nil
}

// field returns the bounds of the bytes after the length at b[from:].
func field(b []byte, from int) (start, end int, ok bool) {
	n, w := binary.Uvarint(b[from:])
	if w <= 0 || n > uint64(len(b)-from-w) {
		return 0, 0, false
	}
	start = from + w
	return start, start + int(n), true
}

func (l *loader) trailer(start int64, head [prefixSize]byte) error {
	b, err := l.body(start, head, trailerSize)
	if err != nil {
		return err
	}
	rows := binary.LittleEndian.Uint64(b)
	sum := Sum{A: binary.LittleEndian.Uint64(b[8:]), B: binary.LittleEndian.Uint64(b[16:])}
	if rows != uint64(l.view.Len()) || sum != l.view.sum {
		return formatError(start, "%d rows with checksum %v were read, %d with %v were written",
			l.view.Len(), l.view.sum, rows, sum)
	}
	return nil
}

// read returns the next n bytes, which are valid until the next read. Memory grows with the
// bytes received, not with the announced length.
func (l *loader) read(n int) ([]byte, error) {
	l.buf = l.buf[:0]
	for len(l.buf) < n {
		have := len(l.buf)
		step := min(n-have, ChunkSize)
		l.buf = append(l.buf, make([]byte, step)...)
		got, err := io.ReadFull(l.r, l.buf[have:])
		l.off += int64(got)
		if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
			return nil, formatError(l.off, "the stream ends early")
		}
		if err != nil {
			return nil, fmt.Errorf("db: reading rows at offset %d: %w", l.off, err)
		}
	}
	return l.buf, nil
}

func formatError(at int64, format string, args ...any) error {
	return &FormatError{Offset: at, Reason: fmt.Sprintf(format, args...)}
}
