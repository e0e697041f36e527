package recipe

import (
	"context"
	"errors"
	"fmt"
	"hash/fnv"
	"iter"
	"maps"
	"slices"
	"strings"
	"sync"

	"github.com/chubbycell/chubby/client"
)

// Names is a name service: addresses by name, with about a hundred names in each file. A process
// that looks up many names reads few files, once each, and learns of changes by events. With one
// file for each name, N processes that look each other up would read N times N files: 9 million for
// 3,000 processes (CHU §4.3).
//
// All methods are safe for concurrent use. Close it after use.
type Names struct {
	c     *client.Client
	dir   string
	files int

	mu     sync.Mutex
	follow map[string]*Config[map[string]string] // by file
}

// NewNames returns the name service of a directory, which the first Set creates. files is the
// number of files over which the names are spread. It must be the same for all programs, and should
// be about a hundredth of the number of names. A number below 1 counts as 1.
func NewNames(c *client.Client, dir string, files int) *Names {
	return &Names{c: c, dir: dir, files: max(files, 1), follow: map[string]*Config[map[string]string]{}}
}

// Set gives a name an address; an empty address removes the name. It changes the file only if no
// other program has changed it since it was read; otherwise it reads the file again. A concurrent
// Set of another name in the same file is therefore not lost.
//
// Set creates the directory and the file of the name if necessary, and needs the rights to do so, or else the
// right to write the file. It fails with client.ErrInvalid if the name is empty, or if the name or address has a tab or a
// line break; with client.ErrTooLarge if the file is full and more files are needed; and with the
// errors of Open and SetContents. After client.ErrOutcomeUnknown the name may or may not have the
// address; setting it again settles that.
func (n *Names) Set(ctx context.Context, name, address string) error {
	if name == "" || strings.ContainsAny(name+address, "\t\n") {
		return fmt.Errorf("recipe: name %q, address %q: %w: a name is not empty, and neither has a tab or a line break", name, address, client.ErrInvalid)
	}
	h, err := n.open(ctx, name)
	if err != nil {
		return err
	}
	defer func() { _ = h.Close(ctx) }()
	for {
		text, stat, err := h.Contents(ctx)
		if err != nil {
			return err
		}
		all, err := parseNames(text)
		if err != nil {
			return &ParseError{h.Name(), err}
		}
		if all[name] = address; address == "" {
			delete(all, name)
		}
		if _, err = h.SetContents(ctx, formatNames(all), stat.Content); !errors.Is(err, client.ErrConflict) {
			return err
		}
	}
}

// Lookup returns the address of a name, or client.ErrNotFound. It asks the cell when the file of
// the name is used for the first time, and answers from memory after that. The answer is as old as
// the last event, usually one message delay; while the cell cannot be reached it is older. Use an
// address as a hint: the program at that address must confirm its own identity.
//
// Lookup creates nothing, and needs only the right to read. Where the file does not exist yet, no name in
// it has an address, and Lookup learns of the file by the events of the directory, or of the
// directories above if that does not exist either; it then needs the right to read these.
func (n *Names) Lookup(ctx context.Context, name string) (string, error) {
	all, err := n.entries(ctx, name)
	if err != nil {
		return "", err
	}
	if address, ok := all[name]; ok {
		return address, nil
	}
	return "", fmt.Errorf("recipe: name %q: %w", name, client.ErrNotFound)
}

// Watch iterates over the addresses of a name, by events: first the present address, then each one
// that differs, and an empty one while the name has none. If addresses follow in quick succession,
// it may leave some out, but never the last. The error that ends the iteration comes last. Watch needs the
// rights of Lookup, and like Lookup it may come before the file and its directory.
func (n *Names) Watch(ctx context.Context, name string) iter.Seq2[string, error] {
	return func(yield func(string, error) bool) {
		last, begun := "", false
		for text, err := range await(ctx, n.c, n.file(name), client.WantContents, readText) {
			var all map[string]string
			if err == nil {
				if all, err = parseNames(text); err != nil {
					err = &ParseError{n.file(name), err}
				}
			}
			if err == nil && begun && all[name] == last {
				continue
			}
			if !yield(all[name], err) || err != nil {
				return
			}
			last, begun = all[name], true
		}
	}
}

// Close stops following the files. Lookup starts it again.
func (n *Names) Close() {
	n.mu.Lock()
	defer n.mu.Unlock()
	for _, f := range n.follow { // order-free: each is closed
		f.Close()
	}
	clear(n.follow)
}

// entries returns the entries of a name's file, which is followed from the first use on.
func (n *Names) entries(ctx context.Context, name string) (map[string]string, error) {
	file := n.file(name)
	n.mu.Lock()
	f := n.follow[file]
	n.mu.Unlock()
	if f != nil && !f.isOver() {
		return f.Value(), nil
	}
	f, err := watchText(ctx, n.c, file, await[string], parseNames)
	if err != nil {
		return nil, err
	}
	n.mu.Lock()
	defer n.mu.Unlock()
	if have := n.follow[file]; have != nil { // it is over, or a concurrent call has begun another
		have.Close()
	}
	n.follow[file] = f
	return f.Value(), nil
}

// open opens the file of a name for Set, and creates the file and its directory if necessary.
func (n *Names) open(ctx context.Context, name string) (*client.Handle, error) {
	o := client.OpenOptions{Rights: client.Read | client.Write, Create: client.CreateMay}
	h, err := n.c.Open(ctx, n.file(name), o)
	if !errors.Is(err, client.ErrNotFound) {
		return h, err
	}
	d, err := n.c.Open(ctx, n.dir, client.OpenOptions{Create: client.CreateMay, Directory: true})
	if err != nil {
		return nil, err
	}
	_ = d.Close(ctx)
	return n.c.Open(ctx, n.file(name), o)
}

// file returns the full name of the file of a name.
func (n *Names) file(name string) string {
	sum := fnv.New64a()
	_, _ = sum.Write([]byte(name))
	return fmt.Sprintf("%s/names-%d", n.dir, sum.Sum64()%uint64(n.files))
}

// parseNames reads lines that consist of a name, a tab and an address.
func parseNames(text string) (map[string]string, error) {
	all := map[string]string{}
	for line := range strings.Lines(text) {
		name, address, ok := strings.Cut(strings.TrimSuffix(line, "\n"), "\t")
		if !ok || name == "" {
			return nil, fmt.Errorf("line %q: want a name, a tab and an address", line)
		}
		all[name] = address
	}
	return all, nil
}

func formatNames(all map[string]string) string {
	var b strings.Builder
	for _, name := range slices.Sorted(maps.Keys(all)) {
		fmt.Fprintf(&b, "%s\t%s\n", name, all[name])
	}
	return b.String()
}
