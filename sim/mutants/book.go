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

// BookFormat grows when a book can no longer be read as before.
const BookFormat = 1

// Terms are what all hunts of a campaign have in common. They are the first line
// of its book.
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

	// What follows is said in the report; a campaign goes on where it differs.
	Commit   string `json:"commit"`
	Modified bool   `json:"modified"` // sources or diffs differed from that commit
	Date     string `json:"date"`     // of the commit
	Machine  string `json:"machine"`
}

// Differences says in which ways the hunts of two terms cannot be compared; none
// if they are of one campaign.
func (t Terms) Differences(now Terms) []string {
	var all []string
	differ := func(what string, was, is any) {
		if was != is {
			all = append(all, fmt.Sprintf("%s %v (this is %v)", what, was, is))
		}
	}
	differ("source", t.Source, now.Source)
	differ("Go", t.Go, now.Go)
	differ("platform", t.Platform, now.Platform)
	differ("--from", t.From, now.From)
	differ("stride", t.Stride, now.Stride)
	differ("--seeds", t.Seeds, now.Seeds)
	differ("--cpu", t.CPU, now.CPU)
	differ("--for", t.For, now.For)
	return all
}

// First is the first seed of a start, from 0.
func (t Terms) First(start int) uint64 { return t.From + uint64(start)*t.Stride }

// Hunted is one hunt of a campaign: a line of its book.
type Hunted struct {
	Start  int    `json:"start"`  // from 0
	Faults string `json:"faults"` // as --faults has them
	Diff   string `json:"diff"`   // digest of the diff
	Catch
}

// Book is what a campaign has seen so far, in memory and in a file of one JSON
// object a line: Terms, then a Hunted for each hunt that ended, in the order in
// which they did. A campaign that is interrupted goes on with its book.
type Book struct {
	Terms  Terms
	Hunted []Hunted
	file   *os.File
}

// ErrBook is in every error about a book that this campaign cannot go on with.
var ErrBook = errors.New("cannot go on")

// OpenBook opens the book of a campaign, or begins one where there is none or a
// fresh one is asked for. A last line that was cut short when a campaign was
// killed is dropped. Errors about what is in the file wrap ErrBook. One campaign
// at a time may have it open: the caller sees to that.
func OpenBook(path string, t Terms, fresh bool) (*Book, error) {
	text, err := os.ReadFile(path)
	if fresh || errors.Is(err, fs.ErrNotExist) {
		text, err = nil, nil
	}
	if err != nil {
		return nil, err
	}
	b := &Book{Terms: t}
	text = text[:bytes.LastIndexByte(text, '\n')+1]
	if err := b.read(text); err != nil {
		return nil, fmt.Errorf("%s: the campaign %w: %w", path, ErrBook, err)
	}
	if b.file, err = os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_APPEND, 0o644); err != nil {
		return nil, err
	}
	if err = b.file.Truncate(int64(len(text))); err == nil && len(text) == 0 {
		err = b.line(t)
	}
	if err != nil {
		return nil, errors.Join(err, b.file.Close())
	}
	return b, nil
}

func (b *Book) read(text []byte) error {
	for i, line := range bytes.Split(bytes.TrimSuffix(text, []byte("\n")), []byte("\n")) {
		switch {
		case len(text) == 0:
		case i == 0:
			var t Terms
			if err := json.Unmarshal(line, &t); err != nil {
				return fmt.Errorf("line 1 is not its terms: %v", err)
			}
			if t.Format != BookFormat {
				return fmt.Errorf("the book has format %d, this program reads %d", t.Format, BookFormat)
			}
			if d := t.Differences(b.Terms); len(d) > 0 {
				return fmt.Errorf("the book is of another one: %s", strings.Join(d, ", "))
			}
			b.Terms = t
		default:
			var h Hunted
			if err := json.Unmarshal(line, &h); err != nil {
				return fmt.Errorf("line %d is damaged: %v", i+1, err)
			}
			b.Hunted = append(b.Hunted, h)
		}
	}
	return nil
}

// Find returns the hunt for a mutant from a start, nil if there was none; one
// for another diff of the same id is none.
func (b *Book) Find(m *Mutant, start int, faults string) *Hunted {
	i := slices.IndexFunc(b.Hunted, func(h Hunted) bool {
		return h.ID == m.ID && h.Start == start && h.Faults == faults && h.Diff == m.Digest
	})
	if i < 0 {
		return nil
	}
	return &b.Hunted[i]
}

// Add notes a hunt that ended.
func (b *Book) Add(h Hunted) error {
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

// SourceDigest tells source trees apart by what programs are built from: all Go
// files below root but for tests, and go.mod and go.sum. Diffs have digests of
// their own.
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
