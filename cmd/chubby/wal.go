package main

import (
	"encoding/hex"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/chubbycell/chubby/internal/cli"
	"github.com/chubbycell/chubby/wal"
	"github.com/chubbycell/chubby/wal/vfs"
)

func (a *app) walCommand() *cobra.Command {
	var form cli.Form
	dump := &cobra.Command{
		Use:   "dump FILE",
		Short: "Print what a file or a directory of a log holds, one frame a line",
		Long: `Dump prints a whole log, given its directory, or one file of it: a segment, or one
copy of a register. It changes nothing and takes no lock, so it may report damage that
does not exist if the log is in use.

It judges a directory as recovery does when a replica starts, but without the replica's own
register. Each damage is an error that names file, offset and entry, and says whether
recovery refuses the log or loses only that entry. A torn tail is a line and not damage,
since every power cut may leave one; only the last segment can have one. A file is judged
alone, so its torn tail may be damage in its directory.

Dump prints everything that it can read, even after damage. The exit code is 2 for damage,
for a file that does not belong to a log, and for an unknown version.

With -o json each line is an object: kind (register, listed, segment, entry, mark, end, torn,
unreadable, opens or note), text (the line without -o json), and what applies of file, offset,
lsn, watermark, number, bytes, entry_kind, tag, state, crc, salt, value; tag, crc, salt and
value are hexadecimal. docs/schema/chubby-wal-1.json says which kind has which. Damage is a
line of kind unreadable or an entry whose state is not ok, and an error on stderr.

` + cli.ExitHelp,
		Args: cli.One("file or directory of a log"),
		RunE: abandoned(func(args []string) error {
			if err := form.Check(); err != nil {
				return err
			}
			return a.walDump(args[0], form)
		}),
	}
	form.Register(dump)
	return cli.Group("wal", "Look into the files of a write-ahead log", dump)
}

func (a *app) walDump(name string, form cli.Form) error {
	if _, err := os.Stat(name); err != nil {
		return cli.Usage("%v: name the directory DIR/log of a replica, or a file in it", err)
	}
	if err := a.spareLog(name); err != nil {
		return err
	}
	path, err := filepath.Abs(name)
	if err != nil {
		return cli.Usage("%v", err)
	}
	base := filepath.Base(path)
	fsys := vfs.NewReadOnlyOS(filepath.Dir(path))
	if form == cli.FormJSON {
		err = wal.Pieces(fsys, base, func(p wal.Piece) error { return a.Line(walSchema, newWALLine(&p, base, name)) })
	} else {
		err = wal.Dump(fsys, base, a.Out)
	}
	if err != nil {
		told := asTypedBy("wal", err, base, name)
		if inner := filepath.Join(name, "log"); isDirectory(inner) { // name is all of a replica
			told += "; its log is " + inner
		}
		return cli.Usage("%s", told)
	}
	return nil
}

func isDirectory(name string) bool {
	info, err := os.Stat(name)
	return err == nil && info.IsDir()
}

// asTypedBy is an error, or several, about files that a package knows from base
// on, with the path from where the user stands.
func asTypedBy(pkg string, err error, base, typed string) string {
	typed = strings.TrimRight(typed, string(filepath.Separator))
	lines := strings.Split(err.Error(), "\n")
	for i, line := range lines {
		if rest, ok := strings.CutPrefix(line, pkg+": "+base); ok {
			lines[i] = typed + rest
		} else {
			lines[i] = typed + ": " + line
		}
	}
	return strings.Join(lines, "\n")
}

// walLine is a line of dump with -o json; the help says so.
type walLine struct {
	// Kind is register (a copy of a register: number is its version, value its contents), listed (a segment in the
	// manifest above: lsn is its first), segment (its header: number, lsn of its first entry, salt, bytes of the file),
	// entry (offset, lsn, entry_kind, watermark, tag, bytes of data, state, crc), mark (of an idle log: offset,
	// watermark), end (of what a segment holds: offset, lsn of the next entry), torn (a torn tail: offset, lsn of the next
	// entry, bytes), unreadable (damage: of a segment offset, lsn of the first entry that is gone, watermark), opens
	// (recovery opens the log: lsn of the next entry) or note (words for people).
	Kind string `json:"kind"`
	// Text is the line without -o json.
	Text string `json:"text"`
	// File is what the line is about, from where the user stands; of a listed segment it is its name alone.
	File   string  `json:"file,omitempty"`
	Offset int64   `json:"offset,omitempty"`
	LSN    wal.LSN `json:"lsn,omitempty"`
	// Watermark is the number up to which all is known to be durable.
	Watermark wal.LSN `json:"watermark,omitempty"`
	Number    uint64  `json:"number,omitempty"`
	Bytes     int64   `json:"bytes,omitempty"`
	EntryKind uint8   `json:"entry_kind,omitempty"`
	Tag       string  `json:"tag,omitempty"` // hexadecimal
	// State is ok, rotten (the data is lost, and was durable) or torn (the data is lost, and was not known to be durable).
	State string `json:"state,omitempty"`
	CRC   string `json:"crc,omitempty"`   // hexadecimal, of data that is good
	Salt  string `json:"salt,omitempty"`  // hexadecimal
	Value string `json:"value,omitempty"` // hexadecimal
}

// newWALLine has the file under the name that the user typed, which package wal knows from base on.
func newWALLine(p *wal.Piece, base, typed string) walLine {
	l := walLine{
		Kind: string(p.Kind), Text: p.Text, File: p.File, Offset: p.Offset, LSN: p.LSN, Watermark: p.Watermark, Number: p.Number,
		Bytes: p.Bytes, EntryKind: p.EntryKind, Tag: hex.EncodeToString(p.Tag), State: p.State, CRC: p.CRC, Value: hex.EncodeToString(p.Value),
	}
	if rest, ok := strings.CutPrefix(p.File, base); ok && p.Kind != wal.PieceListed {
		l.File = strings.TrimRight(typed, string(filepath.Separator)) + rest
	}
	if p.Kind == wal.PieceSegment {
		l.Salt = fmt.Sprintf("%016x", p.Salt)
	}
	return l
}
