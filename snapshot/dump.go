package snapshot

import (
	"errors"
	"fmt"
	"io"

	"github.com/chubbycell/chubby/wal/vfs"
)

// Part is one piece of a snapshot file: the header, a chunk, or the end. Fields that do not
// apply are zero.
type Part struct {
	Offset int64
	Bytes  int64 // of the whole piece in the file

	Header *Handle // nil in other parts
	Chunk  int     // in the header: bytes of data in a full chunk

	Number uint64 // of the chunk, from 1; in the end: the number of chunks
	Data   int64  // bytes of data: of the chunk, or in the end of all chunks
	CRC    uint32 // of the chunk

	End bool
	Sum uint64 // in the end
}

// String returns the line that Dump writes.
func (p Part) String() string {
	switch {
	case p.Header != nil:
		return fmt.Sprintf("%8d header: %v, chunks of %d bytes", p.Offset, *p.Header, p.Chunk)
	case p.End:
		return fmt.Sprintf("%8d end: %d chunks, %d bytes of data, %d in all, sum %016x", p.Offset, p.Number, p.Data, p.Offset+p.Bytes, p.Sum)
	}
	return fmt.Sprintf("%8d chunk %d: %d bytes, crc %08x", p.Offset, p.Number, p.Data, p.CRC)
}

// Parts calls f with each piece of a snapshot file, in order. It changes nothing and takes no
// lock. It stops at the first bad piece, with a *DamageError or an ErrVersion that names the
// offset, and at an error of f.
func Parts(fsys vfs.FS, name string, f func(Part) error) error {
	r, err := openReader(fsys, name)
	if err != nil {
		return err
	}
	return r.close(r.parts(f))
}

func (r *reader) parts(f func(Part) error) error {
	for {
		p := Part{Offset: r.off, Number: r.number}
		piece, data, err := r.next()
		switch {
		case errors.Is(err, io.EOF):
			return nil
		case err != nil:
			return err
		case p.Offset == 0:
			h := r.l.handle.clone()
			p.Header, p.Chunk, p.Number = &h, r.l.chunk, 0
		case r.done:
			p.End, p.Number, p.Data, p.Sum = true, p.Number-1, int64(r.length), r.sum
		default:
			p.Data = int64(len(data))
			for _, b := range piece[len(piece)-crcSize:] {
				p.CRC = p.CRC<<8 | uint32(b)
			}
		}
		p.Bytes = int64(len(piece))
		if err := f(p); err != nil {
			return err
		}
	}
}

// Dump writes the content of a snapshot file, one part per line, for people.
func Dump(fsys vfs.FS, name string, w io.Writer) error {
	return Parts(fsys, name, func(p Part) error {
		_, err := fmt.Fprintln(w, p)
		return err
	})
}
