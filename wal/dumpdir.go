package wal

import (
	"errors"
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/chubbycell/chubby/wal/vfs"
)

// directory prints a log and the result of its recovery.
func (d *dumper) directory(fsys vfs.FS, dir string, names []string) error {
	if !slices.ContainsFunc(names, isOfLog) {
		return fmt.Errorf("wal: %s: no log here", dir)
	}
	v := &survey{fs: fsys, dir: dir}
	created, stale, strays, err := v.look()
	d.copies(v, names, stale)
	if err != nil { // the manifest is unreadable
		return errors.Join(refusal(err), d.each(v, names))
	}
	if created {
		d.note("", "recovery makes a new log: the creation of this one was not finished")
	}
	for _, name := range strays {
		d.note(path.Join(dir, name), "segment %s is not in the manifest; recovery removes it", path.Join(dir, name))
	}
	var all []error
	var last LSN
	refused := false
	err = v.each(func(x *examined, err error) error {
		all = append(all, x.close(d.examined(x, err)))
		last, refused = x.c.next, refused || err != nil
		return nil
	})
	if !refused && !created {
		d.put(Piece{Kind: PieceOpens, LSN: last}, "recovery opens the log: from #%d, next #%d", v.man.segments[0].first, last)
	}
	return errors.Join(append(all, err)...)
}

// isOfLog reports whether a file belongs to a log.
func isOfLog(name string) bool {
	_, isSegment := parseName(name)
	return isSegment || strings.HasPrefix(name, manifestName+".")
}

// refusal wraps an error with which the log does not open.
func refusal(err error) error { return fmt.Errorf("%w; recovery refuses the log", err) }

// copies prints the copies of the manifest; recovery rewrites the stale ones.
func (d *dumper) copies(v *survey, names, stale []string) {
	for _, suffix := range registerSuffixes {
		name := path.Join(v.dir, manifestName+suffix)
		if !slices.Contains(names, path.Base(name)) {
			d.note(name, "register %s is not there", name)
		} else if err := d.file(v.fs, name); err != nil {
			d.put(Piece{Kind: PieceUnreadable, File: name}, "register %s is UNREADABLE: %v", name, err)
		}
		if slices.Contains(stale, name) {
			d.note(name, "    recovery writes it anew from the other copy")
		}
	}
}

// each prints the named segments, each judged alone, when nothing is known of them.
func (d *dumper) each(v *survey, names []string) error {
	d.alone = true
	var all []error
	for _, name := range names {
		if _, ok := parseName(name); ok {
			all = append(all, d.file(v.fs, path.Join(v.dir, name)))
		}
	}
	return errors.Join(all...)
}

// examined prints a segment, and returns its damage: the error with which recovery ends there, or
// one error for each entry without which recovery opens the log.
func (d *dumper) examined(x *examined, err error) error {
	if x.f == nil {
		d.put(Piece{Kind: PieceUnreadable, File: x.name, LSN: x.first}, "segment %s from #%d is UNREADABLE", x.name, x.first)
		return refusal(fmt.Errorf("%w; #%d is its first entry", err, x.first))
	}
	c, all := &x.c, []error(nil)
	d.header(x.name, x.segment, c.salt, x.b)
	if err != nil {
		all = append(all, refusal(err))
	}
	for i := range c.frames {
		if f := &c.frames[i]; d.frame(f, x.b, x.known) {
			all = append(all, damaged(x.name, f.off,
				"data of #%d; all up to #%d was durable; recovery reports #%d as lost and keeps the others", f.lsn, x.known, f.lsn))
		}
	}
	switch {
	case err != nil:
		d.inside(Piece{Kind: PieceUnreadable, Offset: c.end, LSN: c.next, Watermark: x.known}, "%8d  UNREADABLE; all up to #%d was durable", c.end, x.known)
		d.strays(x.b, c.end, c.salt, x.known)
	case x.torn != nil:
		d.inside(Piece{Kind: PieceTorn, Offset: c.end, LSN: c.next, Bytes: int64(x.torn.Bytes)}, "%8d  torn tail of %d bytes, next #%d; recovery cuts it", c.end, x.torn.Bytes, c.next)
		d.strays(x.b, c.end, c.salt, x.known)
	default:
		d.inside(Piece{Kind: PieceEnd, Offset: c.end, LSN: c.next}, "%8d  end, next #%d", c.end, c.next)
	}
	return errors.Join(all...)
}
