package recipe

import (
	"context"
	"iter"
	"time"

	"github.com/chubbycell/chubby/client"
)

// Candidate says for which election a program stands, and as what.
type Candidate struct {
	// File is the full name of the election's file, /ls/CELL/PATH. Campaign creates it if it does
	// not exist. Its lock decides the election.
	File string
	// Address is what the leader writes into the file: where other programs reach it.
	Address string
	// LockDelay keeps the lock from others for so long after the leader was lost: for resources
	// that check no sequencers (client.OpenOptions).
	LockDelay time.Duration
}

// Campaign blocks until this program leads, and returns its term (CHU §2.4; C6.20).
//
// It acquires the lock of the file and then writes the address, by the handle that holds the lock. The
// cell takes the lock away only together with that handle, so it refuses a write that arrives when the
// lock is lost. When Campaign has returned, the file has this address until the term ends; the address
// of a former leader does not come back.
//
// Campaign fails with the context's error if ctx ends first, and leaves nothing behind then: the
// program does not stand any more. The error is client.ErrWithdrawn too if it waited for the lock. Other errors are those of Open, Acquire and SetContents. It does
// not try again by itself.
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

// lead acquires the lock, and then writes the address.
func lead(ctx context.Context, h *client.Handle, address string) (*client.Lock, error) {
	lock, err := h.Acquire(ctx, client.Exclusive)
	if err != nil {
		return nil, err
	}
	_, err = h.SetContents(ctx, address, 0)
	return lock, err
}

// Term is the time for which a program leads. It ends with Resign, or when the session or the file is
// lost. All methods are safe for concurrent use.
type Term struct {
	h    *client.Handle
	lock *client.Lock
}

// IsLeader reports whether the program leads now. It sends nothing. Of all programs that ask at one
// instant, at most one is told true; none may be. It is false in jeopardy, and may become true again.
//
// A program acts after IsLeader has returned, perhaps much later. It sends Sequencer with each request
// to a resource that must never hear of two leaders (Fence, Writer).
func (t *Term) IsLeader() bool { return t.lock.Held() }

// Err returns why the program does not lead, or nil if it does: client.ErrJeopardy for now, any other
// error for good.
func (t *Term) Err() error { return t.lock.Err() }

// Sequencer returns the string that names this term to servers (client.Lock).
func (t *Term) Sequencer() string { return t.lock.Sequencer() }

// Update replaces the address by another one. It blocks until the cell has answered, and fails without effect
// if the lock is lost: then the handle that writes is lost with it. In jeopardy it waits.
func (t *Term) Update(ctx context.Context, address string) error {
	_, err := t.h.SetContents(ctx, address, 0)
	return err
}

// Context returns a context that is cancelled when the term is over for good, with the error of Err as
// its cause: for the work of a leader. It has the values of the context given to Campaign, and does not end
// with that: a program that is told to stop ends its work and calls Resign, which ends this context. Jeopardy
// does not cancel it.
func (t *Term) Context() context.Context { return t.lock.Context() }

// HeldContext returns a context that ends as soon as IsLeader is false, in jeopardy too: for work of a
// leader that must not go on then. Like Context it does not end with the context given to Campaign. It does not begin again; call HeldContext again after jeopardy.
func (t *Term) HeldContext() context.Context { return t.lock.HeldContext() }

// Lost returns a channel that is closed when the term is over for good. In the simulator a program
// waits by its Runtime under Context instead.
func (t *Term) Lost() <-chan struct{} { return t.lock.Done() }

// Resign ends the term: it empties the file and frees the lock, at once and without lock-delay. It
// blocks until the cell has answered. If ctx ends first it fails; the lock is freed nevertheless as
// soon as the cell can be reached, and the file may keep the address until there is another leader.
// Resigning a term that is over is harmless.
func (t *Term) Resign(ctx context.Context) error {
	if t.lock.Context().Err() == nil {
		_, _ = t.h.SetContents(ctx, "", 0) // refused if the lock is lost
	}
	return t.h.Close(ctx)
}

// Leader is what the file of an election said at one instant.
type Leader struct {
	// Address is that of the leader; empty if there was none yet, or the last one has resigned.
	Address string
	// Generation is that of the lock. A leader that has acquired it and has not written its address
	// yet is the only case in which Address belongs to an earlier generation.
	Generation uint64
}

// Observe iterates over the leaders of an election, by events, without asking: the present one at
// first, and each that follows. Leaders in quick succession may be left out, the last one is not.
//
// An address is a hint. The leader may have been lost by now and the file says so only when there is
// another one; the program at that address must know for itself whether it leads (IsLeader).
//
// Before the first campaign the file need not exist: then the first value has no address, and Observe waits. For
// that it must be allowed to read the directory.
//
// The error that ends the iteration comes last: that of ctx, client.ErrGone if the file was deleted,
// client.ErrNoLeases in a cell without events.
func Observe(ctx context.Context, c *client.Client, file string) iter.Seq2[Leader, error] {
	return func(yield func(Leader, error) bool) {
		var last *Leader
		for l, err := range await(ctx, c, file, client.WantContents, readLeader) {
			if err == nil && last != nil && last.Address == l.Address {
				continue
			}
			if !yield(l, err) {
				return
			}
			last = &l
		}
	}
}

func readLeader(ctx context.Context, h *client.Handle) (Leader, error) {
	address, stat, err := h.Contents(client.Uncached(ctx)) // with the lock's generation
	return Leader{Address: address, Generation: uint64(stat.Lock)}, err
}
