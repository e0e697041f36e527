package recipe

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"slices"
	"strings"
	"sync/atomic"

	"github.com/chubbycell/chubby/client"
)

// Register adds a member to a directory of services: an ephemeral file with this name and these
// contents, which exists as long as the member's session lives (CHU §2.3). It creates the directory
// if it does not exist.
//
// If the name exists already, Register blocks until it is gone or ctx ends. A service that restarts
// finds the file of its own former life, which disappears when the former session has expired.
// Adopting that file would be a trap: the cell still deletes it when it finds out that the former
// life is over.
//
// If ctx ends first, Register fails with its error and registers nothing. It fails with
// client.ErrInvalid if the name is empty or a path. While it waits for the name, it fails with
// client.ErrGone if the directory is deleted, and in a cell without events it cannot wait: it fails
// with client.ErrNoLeases. Other errors are those of Open.
func Register(ctx context.Context, c *client.Client, dir, name, contents string) (*Registration, error) {
	if name == "" || strings.Contains(name, "/") {
		return nil, fmt.Errorf("recipe: member %q of %s: %w: a member's name is that of a file in the directory", name, dir, client.ErrInvalid)
	}
	d, err := c.Open(ctx, dir, client.OpenOptions{Create: client.CreateMay, Directory: true, Events: client.WantChildren | client.WantInvalid})
	if err != nil {
		return nil, err
	}
	defer func() { _ = d.Close(ctx) }()
	for {
		h, err := d.Open(ctx, name, client.OpenOptions{
			Rights: client.Read | client.Write, Create: client.CreateMust, Ephemeral: true, Contents: contents, Events: client.WantInvalid,
		})
		switch {
		case err == nil:
			return &Registration{h: h}, nil
		case !errors.Is(err, client.ErrExists):
			return nil, err
		}
		if err := next(ctx, d.Events()); err != nil {
			return nil, err
		}
	}
}

// Registration is the membership of one service. All methods are safe for concurrent use.
type Registration struct {
	h    *client.Handle
	left atomic.Bool // Leave was called: it deletes the file
}

// Update replaces the contents.
func (r *Registration) Update(ctx context.Context, contents string) error {
	_, err := r.h.SetContents(ctx, contents, 0)
	return err
}

// Wait blocks until the registration is lost, and returns why: client.ErrSessionExpired,
// client.ErrGone if the file was deleted, or client.ErrClosed after Leave, which deletes it too. If ctx ends
// first, Wait returns its error.
func (r *Registration) Wait(ctx context.Context) error {
	for {
		err := next(ctx, r.h.Events())
		if err == nil {
			_, err = r.h.Stat(ctx)
		}
		switch {
		case r.left.Load() && says(ctx, err, client.ErrGone):
			return fmt.Errorf("recipe: member %s: %w", r.h.Name(), client.ErrClosed)
		case err != nil:
			return err
		}
	}
}

// Leave ends the registration at once. It blocks until the cell has answered. If ctx ends first, it
// fails, and the file disappears as soon as the cell can be reached. Leaving again is harmless.
func (r *Registration) Leave(ctx context.Context) error {
	r.left.Store(true)
	_ = r.h.Delete(ctx) // works even while a watcher reads it
	return r.h.Close(ctx)
}

// Member is a service that was registered at the time of the read.
type Member struct {
	Name, Contents string
}

// Watch iterates over the sets of members of a directory, by events: first the present set, then
// each one that differs. Each set is in ascending order of names. If sets follow in quick
// succession, Watch may leave some out, but never the last. A set need not have existed as a whole
// at any instant; the last one did.
//
// Watch opens the file of a member only if its contents are new, and closes it after reading them.
// An ephemeral file stays while any client has it open, so a watcher that keeps files open would
// keep dead members in the directory (C9.05). Watch never opens a file without contents.
//
// A member is listed until its session has expired at the cell: a caller that cannot reach one
// member should try the next.
//
// The directory need not exist before the first registration. Until then the first set is empty, and
// Watch waits. For this it needs the right to read the directory above. The error that ends the
// iteration comes last: the error of ctx, client.ErrGone if the directory was deleted,
// client.ErrNoLeases in a cell without events.
func Watch(ctx context.Context, c *client.Client, dir string) iter.Seq2[[]Member, error] {
	return func(yield func([]Member, error) bool) {
		r := &roster{}
		var last []Member
		begun := false
		for set, err := range await(ctx, c, dir, client.WantChildren, r.read) {
			if err == nil && begun && slices.Equal(set, last) {
				continue
			}
			if !yield(slices.Clone(set), err) {
				return
			}
			last, begun = set, true
		}
	}
}

// roster holds what is known of the files in a directory.
type roster struct{ known map[string]entry }

// entry holds the contents of a file, and the metadata that came with them.
type entry struct {
	contents string
	stat     client.Stat
}

// read lists the members.
func (r *roster) read(ctx context.Context, dir *client.Handle) ([]Member, error) {
	var all []Member
	now := map[string]entry{}
	for child, err := range dir.Children(ctx, 0) {
		if err != nil {
			return nil, err
		}
		if !child.Stat.Ephemeral {
			continue
		}
		e, err := r.entry(ctx, dir, child)
		switch {
		case says(ctx, err, client.ErrNotFound, client.ErrGone):
			continue // it disappeared in the meantime
		case err != nil:
			return nil, err
		}
		now[child.Name] = e
		all = append(all, Member{child.Name, e.contents})
	}
	r.known = now
	return all, nil
}

// entry returns the contents of a child, from memory if they have not changed since the last read.
func (r *roster) entry(ctx context.Context, dir *client.Handle, child client.Child) (entry, error) {
	have, known := r.known[child.Name]
	switch {
	case known && have.stat.Instance == child.Stat.Instance && have.stat.Content == child.Stat.Content:
		return have, nil
	case child.Stat.Length == 0:
		return entry{stat: child.Stat}, nil
	}
	f, err := dir.Open(ctx, child.Name, client.OpenOptions{})
	if err != nil {
		return entry{}, err
	}
	defer func() { _ = f.Close(ctx) }()
	contents, stat, err := f.Contents(ctx)
	return entry{contents, stat}, err
}
