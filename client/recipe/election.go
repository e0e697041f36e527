package recipe

import (
	"cmp"
	"context"
	"errors"
	"iter"
	"time"

	"github.com/chubbycell/chubby/client"
)

// Candidate describes the election in which a program stands, and the address that it offers.
type Candidate struct {
	// File is the full name of the election's file, /ls/CELL/PATH. Campaign creates it if it does
	// not exist. Its lock decides the election.
	File string
	// Address is what the leader writes into the file, so that other programs can reach it.
	Address string
	// LockDelay is for how long the cell keeps the lock from others after the leader was lost. It
	// is for resources that check no sequencers (client.OpenOptions).
	LockDelay time.Duration
}

// Campaign blocks until this program leads, and returns its term (CHU §2.4; C6.20).
//
// It acquires the lock of the file, attaches the lock's sequencer to the handle, and then writes the
// address through it. So the cell refuses a write that arrives after the lock was lost. Once Campaign has
// returned, the file has this address until the term ends; the address of a former leader does not come back.
//
// If ctx ends first, Campaign fails with the context's error: the program no longer stands for
// election, and holds no lock. If Campaign was waiting for the lock, the error is client.ErrWithdrawn
// too. If it was writing the address, the error is client.ErrOutcomeUnknown too, and the file may have
// the address until there is another leader. Other errors are those of Open, Acquire, SetSequencer and
// SetContents. Campaign does not retry by itself.
func Campaign(ctx context.Context, c *client.Client, who Candidate) (*Term, error) {
	h, err := c.Open(ctx, who.File, client.OpenOptions{Rights: client.Write, Create: client.CreateMay, LockDelay: who.LockDelay})
	if err != nil {
		return nil, err
	}
	lock, err := lead(ctx, h, who.Address)
	if err != nil {
		_ = h.Close(ctx) // frees the lock, if it is held
		return nil, err
	}
	return &Term{h: h, lock: lock}, nil
}

// lead acquires the lock, and then writes the address. The sequencer is attached before that, because a
// handle may outlive its lock: a deletion of the file takes the lock away first, and may then be refused.
func lead(ctx context.Context, h *client.Handle, address string) (*client.Lock, error) {
	lock, err := h.Acquire(ctx, client.Exclusive)
	if err != nil {
		return nil, err
	}
	if err := h.SetSequencer(ctx, lock.Sequencer()); err != nil {
		return nil, err
	}
	_, err = h.SetContents(ctx, address, 0)
	return lock, err
}

// Term is the time during which a program leads. It ends with Resign, or when the session or the
// file is lost. All methods are safe for concurrent use.
type Term struct {
	h    *client.Handle
	lock *client.Lock
}

// IsLeader reports whether the program leads now. It sends nothing. At any instant it is true for
// at most one program, and may be true for none. It is false in jeopardy, and may become true
// again.
//
// A program acts after IsLeader has returned, perhaps much later. It must therefore send Sequencer
// with each request to a resource that must never accept requests of two leaders (Fence, Writer).
func (t *Term) IsLeader() bool { return t.lock.Held() }

// Err returns why the program does not lead, or nil if it does. client.ErrJeopardy is temporary;
// any other error is final.
func (t *Term) Err() error { return t.lock.Err() }

// Sequencer returns the string that names this term to servers (client.Lock).
func (t *Term) Sequencer() string { return t.lock.Sequencer() }

// Update replaces the address. It blocks until the cell has answered. It fails without effect if
// the lock is lost: with client.ErrStaleSequencer, or because the handle is lost too. In jeopardy it waits.
func (t *Term) Update(ctx context.Context, address string) error {
	_, err := t.h.SetContents(ctx, address, 0)
	return err
}

// Context returns a context for the work of a leader. It is cancelled when the term is over for
// good, with the error of Err as its cause. It has the values of the context given to Campaign, but
// does not end with that context: a program that is told to stop ends its work and calls Resign,
// which ends this context. Jeopardy does not cancel it.
func (t *Term) Context() context.Context { return t.lock.Context() }

// HeldContext returns a context that ends as soon as IsLeader is false, in jeopardy too. It is for
// work of a leader that must stop then. Like Context, it does not end with the context given to
// Campaign. It does not resume: call HeldContext again after jeopardy.
func (t *Term) HeldContext() context.Context { return t.lock.HeldContext() }

// Lost returns a channel that is closed when the term is over for good. In the simulator, a program
// waits through its Runtime under Context instead.
func (t *Term) Lost() <-chan struct{} { return t.lock.Done() }

// Resign ends the term: it empties the file and frees the lock, at once and without lock-delay. It
// blocks until the cell has answered. If ctx ends first, it fails; the lock is still freed as soon
// as the cell can be reached, and the file may keep the address until there is another leader. It keeps
// the address as well if the cell was not asked to empty it: the lock is freed then, and Resign fails with
// the reason, such as client.ErrBusy. Resigning a term that is over is harmless.
func (t *Term) Resign(ctx context.Context) error {
	var kept error // why the file has the address still
	if t.lock.Context().Err() == nil {
		_, err := t.h.SetContents(ctx, "", 0)
		if why := t.Err(); why == nil || errors.Is(why, client.ErrJeopardy) {
			kept = err
		}
	}
	if says(ctx, kept, client.ErrStaleSequencer) {
		kept = nil // the lock is lost, and the file is another leader's
	}
	return cmp.Or(t.h.Close(ctx), kept)
}

// Leader is what the file of an election contained at one instant.
type Leader struct {
	// Address is the address of the leader; it is empty if there was no leader yet, or the last one has resigned.
	Address string
	// Generation is the generation of the lock. Address belongs to an earlier generation in only
	// one case: a candidate has acquired the lock and has not written its address yet, or gave up
	// before it had.
	Generation uint64
}

// Observe iterates over the leaders of an election, by events and without polling: first the
// present leader, then each later one. A program that leads again is a later leader, at the same address.
// If leaders follow in quick succession, it may leave some out, but never the last.
//
// An address is a hint. The leader may have been lost already, and the file says so only when there
// is another one. The program at that address must find out for itself whether it leads (IsLeader).
//
// The file need not exist before the first campaign. Until then the first value has no address, and
// Observe waits. For this it needs the right to read the directory.
//
// The error that ends the iteration comes last: the error of ctx, client.ErrGone if the file was
// deleted, client.ErrNoLeases in a cell without events.
func Observe(ctx context.Context, c *client.Client, file string) iter.Seq2[Leader, error] {
	return func(yield func(Leader, error) bool) {
		var last *sighting
		for now, err := range await(ctx, c, file, client.WantContents, readLeader) {
			if err == nil && last != nil && now.isOf(last) {
				continue
			}
			if !yield(now.leader, err) {
				return
			}
			last = &now
		}
	}
}

// sighting is what one reading of an election's file found.
type sighting struct {
	leader  Leader
	content client.ContentGen
}

// isOf reports whether s and the sighting before it are of one term, or the leader of a new term has not
// written its address yet. The program at an address may lead again, after a restart: then the address is
// the same, and has been written anew.
func (s sighting) isOf(last *sighting) bool {
	return s.leader.Address == last.leader.Address && (s.leader.Generation == last.leader.Generation || s.content == last.content)
}

func readLeader(ctx context.Context, h *client.Handle) (sighting, error) {
	address, stat, err := h.Contents(client.Uncached(ctx)) // with the lock's generation
	return sighting{Leader{Address: address, Generation: uint64(stat.Lock)}, stat.Content}, err
}
