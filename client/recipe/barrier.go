package recipe

import (
	"context"
	"fmt"

	"github.com/chubbycell/chubby/client"
)

// openMark is the name of the file that marks a Barrier as open. No member may have this name.
const openMark = "open"

// Barrier lets a given number of members begin together, and end together. Each round needs a
// directory of its own, which Enter creates: once a Barrier is open, it stays open.
//
// A Barrier belongs to one member. Its methods must be called one after the other.
type Barrier struct {
	c       *client.Client
	dir     string
	name    string
	members int
	r       *Registration
}

// NewBarrier returns the barrier of a directory, for the member with this name. No other member of
// the round may have the name, and it must not be "open". All members must pass the same number of
// members.
func NewBarrier(c *client.Client, dir, name string, members int) *Barrier {
	return &Barrier{c: c, dir: dir, name: name, members: members}
}

// Enter adds the member and blocks until the given number of members have been there at the same
// time.
//
// The member that sees them all leaves a permanent mark. Without the mark, a member that looks late
// could miss that instant: if another member has gone on and died meanwhile, the number is never
// reached again.
//
// If ctx ends first, Enter fails with its error and the member is removed. Enter fails with
// client.ErrGone if the member's file disappears before the member has entered. After a fail-over
// the cell removes ephemeral files whose handles are not presented in time, which may happen
// between the creation and its answer. If the member went on without its file, no other member
// would wait for it. Enter fails with client.ErrInvalid if the name is "open", or empty, or a path.
// Other errors are those of Register and Watch.
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

// Leave removes the member and blocks until there is an instant with no member left: every member
// that was there when Leave was called has left, or has lost its session. If ctx ends first, Leave
// fails with the context's error; the member has left nevertheless. After a failed Enter, Leave
// only waits for the others. A file or a directory that is gone already is no error: in a directory
// that was deleted no member is left.
func (b *Barrier) Leave(ctx context.Context) error {
	if b.r != nil {
		if err := b.r.Leave(ctx); err != nil {
			return err
		}
	}
	err := b.await(ctx, func(_ context.Context, s seen) (bool, error) { return s.members == 0, nil })
	if says(ctx, err, client.ErrNotFound, client.ErrGone) {
		return nil // a directory is deleted only when it is empty
	}
	return err
}

// seen is what a member sees in the directory.
type seen struct {
	members int
	self    bool // it is one of them
	open    bool // the mark exists
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
	return nil // not reached: an iteration always ends with an error
}
