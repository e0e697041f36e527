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

// BookFormat grows when a book can no longer be read as before. Books of format 1 have one
// chapter; they can be read, too.
const BookFormat = 2

// Terms are what all hunts of a chapter have in common: the line that begins it.
type Terms struct {
	Format int `json:"format"` // BookFormat

	Source   string `json:"source"` // digest of what programs are built from; see SourceDigest
	Go       string `json:"go"`
	Platform string `json:"platform"` // such as linux/amd64

	From   uint64        `json:"from"`   // first seed of the first start
	Stride uint64        `json:"stride"` // between the first seeds of two starts
	Seeds  uint64        `json:"seeds"`  // counted seeds of each hunt; 0: no such end
	CPU    time.Duration `json:"cpu_ns"` // processor time of each hunt; 0: no such end
	For    time.Duration `json:"for_ns"` // real time of each hunt; 0: no such end

	// The report shows what follows; a campaign goes on where it differs.
	Commit   string `json:"commit"`
	Modified bool   `json:"modified"` // sources or diffs differed from that commit
	Date     string `json:"date"`     // of the commit
	Machine  string `json:"machine"`
}

// Differences says in which ways the hunts of two terms are not of one chapter,
// and first of all in which they are not of one campaign.
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

// First is the first seed of a start, from 0.
func (t Terms) First(start int) uint64 { return t.From + uint64(start)*t.Stride }

// Hunted is one hunt of a campaign: a line of its book.
type Hunted struct {
	Start  int    `json:"start"`  // from 0
	Faults string `json:"faults"` // as --faults has them
	Diff   string `json:"diff"`   // digest of the diff
	Catch

	chapter int // of the book, from 0
}

// Book is what a campaign has seen so far, in memory and in a file of one JSON
// object a line: Terms, then a Hunted for each hunt that ended, in the order in
// which they did; and so on for each chapter. A chapter is what one program saw
// with one set of bounds. A campaign that is interrupted goes on with its book;
// one that goes on after a change begins the next chapter.
type Book struct {
	Chapters []Terms
	Hunted   []Hunted
	file     *os.File
}

// Opening is what becomes of a book whose last chapter is of another program, or of hunts
// with other bounds.
type Opening int

const (
	Same   Opening = iota // it is refused
	Onward                // a new chapter begins
	Fresh                 // every book is begun anew
)

// In every error about a book that this campaign cannot go on with is ErrBook; and
// ErrChapter if it could with a new chapter.
var (
	ErrBook    = errors.New("cannot go on")
	ErrChapter = errors.New("the book is of another program, or of other bounds")
)

// OpenBook opens the book of a campaign, or begins one where there is none or a
// fresh one is asked for. A last line that was cut short when a campaign was
// killed is dropped. Errors about what is in the file wrap ErrBook. One campaign
// at a time may have it open: the caller sees to that.
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

// startsChapter reports whether a chapter begins with these terms, or refuses them.
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

// Terms are those of the last chapter, to which hunts are added.
func (b *Book) Terms() Terms { return b.Chapters[len(b.Chapters)-1] }

// Find returns the last hunt for a mutant from a start, nil if there was none; one
// for another diff of the same id is none.
func (b *Book) Find(m *Mutant, start int, faults string) *Hunted {
	for i := range slices.Backward(b.Hunted) {
		if h := &b.Hunted[i]; h.ID == m.ID && h.Start == start && h.Faults == faults && h.Diff == m.Digest {
			return h
		}
	}
	return nil
}

// HasInChapter reports that the last chapter has such a hunt.
func (b *Book) HasInChapter(m *Mutant, start int, faults string) bool {
	h := b.Find(m, start, faults)
	return h != nil && h.chapter == len(b.Chapters)-1
}

// IsSettled reports that a hunt need not be made (again): the book has it in this chapter;
// or in a former one, in which all hunts for that bug ended as they should. A bug that a
// former program missed once is hunted again from every start: were its catches kept, each
// start would be the better of two.
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

// IsCompared reports that one program hunted a mutant from a start in both ways, and that
// neither hunt was made again since.
func (b *Book) IsCompared(m *Mutant, start int, faults, versus string) bool {
	x, y := b.Find(m, start, faults), b.Find(m, start, versus)
	return x != nil && y != nil && x.chapter == y.chapter
}

// Add notes a hunt that ended.
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

// SourceDigest is a digest of what programs are built from: all Go files below root but for
// tests, and go.mod and go.sum. Diffs have digests of their own.
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
