package mutants

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// BookFormat is the version of the file format. It is increased when old programs cannot read new books. Books of
// format 1, which have one chapter, can still be read.
const BookFormat = 2

// Terms are what all hunts of a chapter have in common. They are the first line of the chapter.
type Terms struct {
	Format int `json:"format"` // BookFormat

	Source   string `json:"source"` // digest of the source of the programs; see SourceDigest
	Go       string `json:"go"`
	Platform string `json:"platform"` // such as linux/amd64

	From   uint64        `json:"from"`   // first seed of the first start
	Stride uint64        `json:"stride"` // difference of the first seeds of two starts
	Seeds  uint64        `json:"seeds"`  // bound of each hunt in counted seeds; 0: no bound
	CPU    time.Duration `json:"cpu_ns"` // bound of each hunt in processor time; 0: no bound
	For    time.Duration `json:"for_ns"` // bound of each hunt in real time; 0: no bound

	// The fields below are for the report. A change of them begins no chapter.
	Commit   string `json:"commit"`
	Modified bool   `json:"modified"` // sources or diffs differed from that commit
	Date     string `json:"date"`     // of the commit
	Machine  string `json:"machine"`
}

// Differences returns in words how now differs from t. If campaign is not empty, hunts with these terms cannot be in one
// campaign. If chapter is not empty, they cannot be in one chapter.
func (t Terms) Differences(now Terms) (campaign, chapter []string) {
	var all []string
	differ := func(what string, was, is any) {
		if was != is {
			all = append(all, fmt.Sprintf("%s %v (this is %v)", what, was, is))
		}
	}
	differ("--from", t.From, now.From)
	differ("stride", t.Stride, now.Stride)
	n := len(all)
	differ("source", t.Source, now.Source)
	differ("Go", t.Go, now.Go)
	differ("platform", t.Platform, now.Platform)
	differ("--seeds", t.Seeds, now.Seeds)
	differ("--cpu", t.CPU, now.CPU)
	differ("--for", t.For, now.For)
	return all[:n], all[n:]
}

// First returns the first seed of a start. Starts are numbered from 0.
func (t Terms) First(start int) uint64 { return t.From + uint64(start)*t.Stride }

// Hunted is one hunt of a campaign: a line of its book.
type Hunted struct {
	Start  int    `json:"start"`  // number of the start, from 0
	Faults string `json:"faults"` // value of --faults
	Diff   string `json:"diff"`   // digest of the diff
	Catch

	chapter int // of the book, from 0
}

// Book has the hunts of a campaign so far, in memory and in a file. The file has one JSON object a line: for each
// chapter its Terms, and then a Hunted for each hunt, in the order in which the hunts ended. A chapter has the hunts of
// one program with one set of bounds. An interrupted campaign continues with its book. If the program or the bounds
// have changed, it begins the next chapter. A Book is not safe for concurrent use.
type Book struct {
	Chapters []Terms
	Hunted   []Hunted
	file     *os.File
}

// Opening says what OpenBook does with an existing book.
type Opening int

const (
	Same   Opening = iota // refuse it if its last chapter has another program or other bounds
	Onward                // begin a new chapter in that case
	Fresh                 // replace it by an empty book
)

// Errors of OpenBook. ErrBook: this campaign cannot continue with the content of the file. ErrChapter, in addition: it
// could with Onward.
var (
	ErrBook    = errors.New("cannot go on")
	ErrChapter = errors.New("the book is of another program, or of other bounds")
)

// OpenBook opens the book of a campaign, or begins one if there is none or how is Fresh. It drops a last line that is
// incomplete because a campaign was killed. Errors about the content of the file wrap ErrBook. The caller must ensure
// that only one campaign has the file open, and must close the Book.
func OpenBook(path string, t Terms, how Opening) (*Book, error) {
	text, err := os.ReadFile(path)
	if how == Fresh || errors.Is(err, fs.ErrNotExist) {
		text, err = nil, nil
	}
	if err != nil {
		return nil, err
	}
	b := &Book{}
	text = text[:bytes.LastIndexByte(text, '\n')+1]
	begin, err := false, b.read(text)
	if err == nil {
		begin, err = b.startsChapter(t, how)
	}
	if err != nil {
		return nil, fmt.Errorf("%s: the campaign %w: %w", path, ErrBook, err)
	}
	if b.file, err = os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_APPEND, 0o644); err != nil {
		return nil, err
	}
	if err = b.file.Truncate(int64(len(text))); err == nil && begin {
		b.Chapters = append(b.Chapters, t)
		err = b.line(t)
	}
	if err != nil {
		return nil, errors.Join(err, b.file.Close())
	}
	return b, nil
}

// startsChapter reports whether a new chapter must begin for these terms. It returns an error if the book cannot have
// them.
func (b *Book) startsChapter(t Terms, how Opening) (bool, error) {
	if len(b.Chapters) == 0 {
		return true, nil
	}
	campaign, chapter := b.Terms().Differences(t)
	switch {
	case len(campaign) > 0:
		return false, fmt.Errorf("the book is of another one: %s", strings.Join(campaign, ", "))
	case len(chapter) > 0 && how != Onward:
		return false, fmt.Errorf("%w: %s", ErrChapter, strings.Join(chapter, ", "))
	}
	return len(chapter) > 0, nil
}

func (b *Book) read(text []byte) error {
	for i, line := range bytes.Split(bytes.TrimSuffix(text, []byte("\n")), []byte("\n")) {
		if len(text) == 0 {
			break
		}
		var t Terms
		if err := json.Unmarshal(line, &t); err != nil {
			return fmt.Errorf("line %d is damaged: %v", i+1, err)
		}
		switch {
		case t.Format > BookFormat:
			return fmt.Errorf("the book has format %d, this program reads up to %d", t.Format, BookFormat)
		case t.Format > 0:
			b.Chapters = append(b.Chapters, t)
			continue
		case i == 0:
			return errors.New("line 1 is not its terms")
		}
		h := Hunted{chapter: len(b.Chapters) - 1}
		if err := json.Unmarshal(line, &h); err != nil {
			return fmt.Errorf("line %d is damaged: %v", i+1, err)
		}
		b.Hunted = append(b.Hunted, h)
	}
	return nil
}

// Terms returns the terms of the last chapter. Add adds hunts to that chapter.
func (b *Book) Terms() Terms { return b.Chapters[len(b.Chapters)-1] }

// Find returns the last hunt for a mutant from a start, of any chapter; nil: there is none. Hunts for another diff with
// the same id do not count.
func (b *Book) Find(m *Mutant, start int, faults string) *Hunted {
	for i := range slices.Backward(b.Hunted) {
		if h := &b.Hunted[i]; h.ID == m.ID && h.Start == start && h.Faults == faults && h.Diff == m.Digest {
			return h
		}
	}
	return nil
}

// HasInChapter reports whether the last chapter has such a hunt.
func (b *Book) HasInChapter(m *Mutant, start int, faults string) bool {
	h := b.Find(m, start, faults)
	return h != nil && h.chapter == len(b.Chapters)-1
}

// IsSettled reports whether a hunt need not be made: the last chapter has it, or a former chapter has it and all hunts
// of that chapter for the bug ended as they should. If a former program missed the bug from any start, the bug is
// hunted again from every start: if only the misses were repeated, each start would have two chances.
func (b *Book) IsSettled(m *Mutant, start int, faults string) bool {
	h := b.Find(m, start, faults)
	if h == nil || b.HasInChapter(m, start, faults) {
		return h != nil
	}
	due := Caught
	if m.Control {
		due = Survived
	}
	return !slices.ContainsFunc(b.Hunted, func(o Hunted) bool {
		return o.chapter == h.chapter && o.ID == m.ID && o.Diff == m.Digest && o.Faults == faults && o.Outcome != due
	})
}

// IsCompared reports whether the last hunts for a mutant from a start, with faults and with versus, are of one chapter,
// and so of one program.
func (b *Book) IsCompared(m *Mutant, start int, faults, versus string) bool {
	x, y := b.Find(m, start, faults), b.Find(m, start, versus)
	return x != nil && y != nil && x.chapter == y.chapter
}

// Add adds a finished hunt to the last chapter, and writes it to the file.
func (b *Book) Add(h Hunted) error {
	h.chapter = len(b.Chapters) - 1
	b.Hunted = append(b.Hunted, h)
	return b.line(h)
}

func (b *Book) line(v any) error {
	text, err := json.Marshal(v)
	if err != nil {
		return err
	}
	_, err = b.file.Write(append(text, '\n'))
	return err
}

// Close closes the file.
func (b *Book) Close() error { return b.file.Close() }

// SourceDigest returns a digest of the source of programs: all Go files below root except tests, and go.mod and go.sum.
// It does not cover the diffs, which have digests of their own.
func SourceDigest(root string) (string, error) {
	var text bytes.Buffer
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		name := d.Name()
		if d.IsDir() {
			if path != root && (name == "testdata" || strings.HasPrefix(name, ".")) {
				return filepath.SkipDir
			}
			return nil
		}
		if name != "go.mod" && name != "go.sum" && (!strings.HasSuffix(name, ".go") || strings.HasSuffix(name, "_test.go")) {
			return nil
		}
		content, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(root, path)
		fmt.Fprintf(&text, "%s %s\n", digest(content), filepath.ToSlash(rel))
		return err
	})
	return digest(text.Bytes()), err
}
