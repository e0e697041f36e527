package wal

import (
	"errors"
	"fmt"
	"io"
	"path"
	"strings"

	"github.com/chubbycell/chubby/wal/vfs"
)

// Dump writes the contents of a log, one frame per line, for people. If name is a directory, it
// writes the whole log; otherwise one file, which is a segment or a copy of a register. It changes
// nothing and takes no lock, so it may see damage that does not exist if the log is open. Errors
// name files relative to name.
//
// It judges a directory as Open does, but without the owner's watermark (Options.Watermark). The
// first error is that of Open, and it is nil only if Open finds nothing damaged. Rotten entries are
// errors too, one each, though the log opens without them. What a power cut may leave is not an
// error: a torn tail, files that the manifest does not list, a stale copy of the manifest. Each is
// a line that says what Open does about it.
//
// It judges a file alone, as the first line says: not by the manifest, nor by what other files know
// to be durable. What looks like a torn tail may therefore be damage. It refuses a file that does
// not begin like a file of a log (ErrNotLog), and reads no more of it. It reads no more than
// MaxSegmentSize of any file.
//
// After damage Dump continues, so it prints everything that is readable.
func Dump(fsys vfs.FS, name string, w io.Writer) error {
	return Pieces(fsys, name, func(p Piece) error {
		_, err := fmt.Fprintln(w, p.Text)
		return err
	})
}

// Pieces calls f with each line of Dump, in order, and returns what Dump returns. After an error of f
// it does not call it again, and returns that error beside those of the log.
func Pieces(fsys vfs.FS, name string, f func(Piece) error) error {
	d := &dumper{f: f}
	names, err := fsys.ReadDir(name)
	if err == nil {
		return errors.Join(d.directory(fsys, name, names), d.ferr)
	}
	d.alone = true
	return errors.Join(d.file(fsys, name), d.ferr)
}

type dumper struct {
	f     func(Piece) error
	ferr  error // the first one of f
	alone bool  // a file that is judged alone
	name  string
}

// put hands out a piece, with its text.
func (d *dumper) put(p Piece, format string, args ...any) {
	if d.ferr == nil {
		p.Text = fmt.Sprintf(format, args...)
		d.ferr = d.f(p)
	}
}

// inside is put for a piece of the segment whose header was the last one.
func (d *dumper) inside(p Piece, format string, args ...any) {
	p.File = d.name
	d.put(p, format, args...)
}

// note is put for what only people need.
func (d *dumper) note(file, format string, args ...any) {
	d.put(Piece{Kind: PieceNote, File: file}, format, args...)
}

func (d *dumper) file(fsys vfs.FS, name string) error {
	f, err := fsys.Open(name)
	if err != nil {
		return err
	}
	magic, err := readStart(f, 4)
	if err == nil {
		switch string(magic) {
		case registerMagic:
			d.aloneNote(name, "one copy of a register of two")
			err = d.register(f, name)
		case segmentMagic:
			d.aloneNote(name, "without the manifest and the other segments")
			err = d.segment(f, name)
		default:
			err = notLog(name)
		}
	}
	return errors.Join(err, f.Close())
}

// aloneNote says that the printed part is not the whole log.
func (d *dumper) aloneNote(name, what string) {
	if d.alone {
		d.note(name, "judged alone: %s, %s; recovery judges the directory", name, what)
	}
}

func (d *dumper) register(f vfs.File, name string) error {
	b, err := readStart(f, registerMost)
	s := parseRegister(b)
	switch {
	case err != nil:
		return err
	case s.format > registerVersion:
		return wrongVersion(name, s.format, registerVersion)
	case !s.good:
		return damaged(name, 0, "checksum of the register")
	}
	d.put(Piece{Kind: PieceRegister, File: name, Number: s.version, Value: s.value}, "register %s version %d value %d bytes %x", name, s.version, len(s.value), s.value)
	if !strings.HasPrefix(path.Base(name), manifestName+".") {
		return nil
	}
	m, err := decodeManifest(s.value, name)
	for _, seg := range m.segments {
		d.put(Piece{Kind: PieceListed, File: seg.name(), LSN: seg.first}, "    segment %s from #%d", seg.name(), seg.first)
	}
	return err
}

// segment prints a segment and judges it alone.
func (d *dumper) segment(f vfs.File, name string) error {
	b, s, its, err := readSegment(f, name, nil)
	if err != nil {
		return err
	}
	d.header(name, s, its, b)
	c := scan(b, s.first, its, nil)
	known := max(c.watermark, c.laterWatermark(b[c.end:]))
	for i := range c.frames {
		if bad := d.frame(&c.frames[i], b, known); bad && err == nil {
			err = damaged(name, c.frames[i].off, "data of #%d; all up to #%d was durable", c.frames[i].lsn, known)
		}
	}
	rest := lastNonZero(b[c.end:])
	switch {
	case rest == 0:
		d.inside(Piece{Kind: PieceEnd, Offset: c.end, LSN: c.next}, "%8d  end, next #%d", c.end, c.next)
	case known < c.next:
		d.inside(Piece{Kind: PieceTorn, Offset: c.end, LSN: c.next, Bytes: int64(rest)}, "%8d  torn tail of %d bytes if this is the last segment, next #%d", c.end, rest, c.next)
	default:
		d.inside(Piece{Kind: PieceUnreadable, Offset: c.end, LSN: c.next, Watermark: known}, "%8d  UNREADABLE; all up to #%d was durable", c.end, known)
		d.strays(b, c.end, its, known)
		if err == nil {
			err = damaged(name, c.end, "#%d is unreadable; all up to #%d was durable", c.next, known)
		}
	}
	return err
}

func (d *dumper) header(name string, s segment, its salt, b []byte) {
	d.name = name
	d.inside(Piece{Kind: PieceSegment, Number: s.number, LSN: s.first, Salt: its.bits, Bytes: int64(len(b))}, "segment %s number %d from #%d salt %016x, %d bytes", name, s.number, s.first, its.bits, len(b))
}

// frame prints one frame and returns whether it is rotten.
func (d *dumper) frame(f *frame, b []byte, known LSN) bool {
	if f.kind == kindMark {
		d.inside(Piece{Kind: PieceMark, Offset: f.off, Watermark: f.watermark}, "%8d  mark, all up to #%d is durable", f.off, f.watermark)
		return false
	}
	state := "ok"
	switch {
	case !f.good && f.lsn <= known:
		state = "ROTTEN"
	case !f.good:
		state = "torn"
	}
	from, to := f.tag()
	p := Piece{
		Kind: PieceEntry, Offset: f.off, LSN: f.lsn, EntryKind: f.kind, Watermark: f.watermark,
		Tag: b[from:to], Bytes: int64(f.data), State: strings.ToLower(state), CRC: digest(f, b),
	}
	text := ""
	if p.CRC != "" {
		text = " crc " + p.CRC
	}
	d.inside(p, "%8d  #%d kind %d watermark #%d tag %x data %d bytes %s%s",
		f.off, f.lsn, f.kind, f.watermark, p.Tag, f.data, state, text)
	return state == "ROTTEN"
}

// digest distinguishes data without printing it.
func digest(f *frame, b []byte) string {
	if !f.good || f.data == 0 {
		return ""
	}
	from, to := f.body()
	return fmt.Sprintf("%08x", checksum(b[from:to]))
}

// strays prints the frames that it can find behind an unreadable place.
func (d *dumper) strays(b []byte, off int64, its salt, known LSN) {
	for int(off)+frameMin <= len(b) {
		h, ok := its.parseHeader(b[off:])
		if !ok {
			off++
			continue
		}
		_, good := h.payload(b[off:])
		f := h.at(off, good)
		d.frame(&f, b, known)
		off = f.end
	}
}
