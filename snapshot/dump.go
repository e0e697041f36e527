package snapshot

import (
	"errors"
	"fmt"
	"io"

	"github.com/chubbycell/chubby/wal/vfs"
)

// Part is one piece of a snapshot's file as it was found: the header, a chunk, or
// the end. Fields that a part does not have are zero.
type Part struct {
	Offset int64
	Bytes  int64 // of the whole piece in the file

	Header *Handle // the header's; nil in other parts
	Chunk  int     // the header's: bytes of data in a full chunk

	Number uint64 // the chunk's, from 1; the end's is the count of chunks
	Data   int64  // bytes of data: the chunk's own, the end's of all chunks
	CRC    uint32 // the chunk's

	End bool
	Sum uint64 // the end's
}

// String is the line that Dump writes.
func (p Part) String() string {
	switch {
	case p.Header != nil:
		return fmt.Sprintf("%8d header: %v, chunks of %d bytes", p.Offset, *p.Header, p.Chunk)
	case p.End:
		return fmt.Sprintf("%8d end: %d chunks, %d bytes of data, %d in all, sum %016x", p.Offset, p.Number, p.Data, p.Offset+p.Bytes, p.Sum)
	}
	return fmt.Sprintf("%8d chunk %d: %d bytes, crc %08x", p.Offset, p.Number, p.Data, p.CRC)
}

// Parts hands each piece of a snapshot's file to f, in order. It changes nothing
// and takes no lock. It ends at the first thing that is not good, with a
// *DamageError or an ErrVersion that names the offset, and at an error of f.
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

// Dump writes what the file of a snapshot holds, one part a line, for people.
func Dump(fsys vfs.FS, name string, w io.Writer) error {
	return Parts(fsys, name, func(p Part) error {
		_, err := fmt.Fprintln(w, p)
		return err
	})
}
