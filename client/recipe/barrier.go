package recipe

import (
	"context"
	"fmt"

	"github.com/chubbycell/chubby/client"
)

// openMark is the name of the file that says that a Barrier is open. No member may have it.
const openMark = "open"

// Barrier lets so many members begin together, and end together. Each round takes a directory of its
// own, which Enter creates: once a Barrier is open it stays open.
//
// A Barrier belongs to one member. Its methods are called one after the other.
type Barrier struct {
	c       *client.Client
	dir     string
	name    string
	members int
	r       *Registration
}

// NewBarrier returns the barrier of a directory, for the member of this name, which no other member of
// the round has, and which is not "open". All members name the same number of members.
func NewBarrier(c *client.Client, dir, name string, members int) *Barrier {
	return &Barrier{c: c, dir: dir, name: name, members: members}
}

// Enter adds the member and blocks until so many members have been there at the same time.
//
// The member that sees them all leaves a mark, which is there for good. Without it, a member that is
// slow to look could miss the instant: one of the others has gone on, and died, and the number is not
// reached any more.
//
// If ctx ends first, Enter fails with its error and the member is gone. It fails with client.ErrGone if
// the member's file has gone before it has entered: after a fail-over the cell removes ephemeral files
// whose handles are not presented in time, and that may come between the creation and its answer. A
// member that went on then would be waited for by none. It fails with client.ErrInvalid for a name that
// is "open", or empty, or a path. Other errors are those of Register and Watch.
func (b *Barrier) Enter(ctx context.Context) error {
	if b.name == openMark {
		return fmt.Errorf("recipe: member %q of %s: %w: the barrier has this file", b.name, b.dir, client.ErrInvalid)
	}
	r, err := Register(ctx, b.c, b.dir, b.name, "")
	if err != nil {
		return err
	}
	if err := b.await(ctx, b.isOpen); err != nil {
		_ = r.Leave(ctx)
		return err
	}
	b.r = r
	return nil
}

// Leave removes the member and blocks until there is an instant with no member left: all that were
// there when it was called have left, or have lost their sessions. It fails with the context's error if
// ctx ends first; the member has left then, too. After an Enter that failed it waits for the others
// only.
func (b *Barrier) Leave(ctx context.Context) error {
	if b.r != nil {
		if err := b.r.Leave(ctx); err != nil {
			return err
		}
	}
	return b.await(ctx, func(_ context.Context, s seen) (bool, error) { return s.members == 0, nil })
}

// seen is what a member sees in the directory.
type seen struct {
	members int
	self    bool // it is one of them
	open    bool // the mark is there
}

// isOpen reports whether the barrier is open, and opens it if the members are there.
func (b *Barrier) isOpen(ctx context.Context, s seen) (bool, error) {
	switch {
	case !s.self:
		return false, fmt.Errorf("recipe: member %s of %s: %w", b.name, b.dir, client.ErrGone)
	case s.open || s.members < b.members:
		return s.open, nil
	}
	mark, err := b.c.Open(ctx, b.dir+"/"+openMark, client.OpenOptions{Create: client.CreateMay})
	if err != nil {
		return false, err
	}
	return true, mark.Close(ctx)
}

// await reads the directory, and again after each event, until done.
func (b *Barrier) await(ctx context.Context, done func(ctx context.Context, s seen) (bool, error)) error {
	read := func(ctx context.Context, dir *client.Handle) (bool, error) {
		var s seen
		for child, err := range dir.Children(ctx, 0) {
			switch {
			case err != nil:
				return false, err
			case child.Stat.Ephemeral:
				s.members++
				s.self = s.self || child.Name == b.name
			case child.Name == openMark:
				s.open = true
			}
		}
		return done(ctx, s)
	}
	for ok, err := range follow(ctx, b.c, b.dir, client.WantChildren, read) {
		if err != nil || ok {
			return err
		}
	}
	return nil // not reached: an iteration that ends has an error last
}
