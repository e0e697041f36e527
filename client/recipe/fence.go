package recipe

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/chubbycell/chubby/client"
)

// ErrFenced is the error of a request whose sender has lost its lock: a later acquisition of the
// lock has reached the resource since. It is final for that sender.
var ErrFenced = errors.New("a later holder of the lock has been here")

// Fence is the server's end of a sequencer: it keeps former holders of a lock away from a resource
// without asking the cell (CHU §2.1, §2.4; C8.04). The resource passes the sequencer of each
// request to the Fence. The Fence admits a request unless it has already admitted a later
// acquisition of that lock.
//
// Reads count too. The present holder reads, and then writes what follows from the read. If its
// read did not raise the mark, a write of the former holder could still arrive in between, and
// would be lost.
//
// A Fence does not know that a lock was lost, only that there is a later holder. Until a request of
// the later holder arrives, it admits the former holder. If that is too late for a server, the
// server should call client.Handle.CheckSequencer. A Fence does not order the requests of one
// holder either.
//
// A Fence is not safe for concurrent use, because admitting a request and carrying it out must be
// one step. Use it under the mutex that guards reads and writes of the resource.
type Fence struct {
	newest map[string]newest // by the path of the lock in its cell
	bad    []string          // arguments of NewFence that do not name a lock
}

// newest is the latest admitted acquisition of a lock.
type newest struct {
	sequencer client.Sequencer
	text      string
}

// NewFence returns the fence of a resource that these locks protect. Each name is the full name of
// a node, /ls/CELL/PATH, as Client.Open takes it, or a path in the cell, such as "/primary". The
// Fence refuses the sequencers of other locks. If a name is neither, the Fence refuses all
// sequencers, and its errors say why. Locks of different cells need a Fence each: a sequencer does
// not name its cell, and the Fence ignores the cell of a full name.
func NewFence(locks ...string) *Fence {
	f := &Fence{newest: map[string]newest{}}
	for _, lock := range locks {
		path, ok := pathOf(lock)
		if !ok {
			f.bad = append(f.bad, lock)
			continue
		}
		f.newest[path] = newest{}
	}
	return f
}

// pathOf returns the path in its cell of the lock with this full name or path; false: no node has this name.
func pathOf(lock string) (path string, ok bool) {
	path = lock
	if rest, full := strings.CutPrefix(lock, "/ls/"); full {
		_, rest, _ = strings.Cut(rest, "/")
		path = "/" + rest
	}
	hasEmpty := strings.Contains(path, "//") || path != "/" && strings.HasSuffix(path, "/")
	return path, strings.HasPrefix(path, "/") && !hasEmpty
}

// Read admits a request that changes nothing, or fails. It fails with ErrFenced if a later holder
// of the sender's lock was admitted here, and with client.ErrInvalid if the string is not a
// sequencer of a lock of this Fence.
func (f *Fence) Read(sequencer string) error {
	return f.admit(sequencer, false)
}

// Write admits a request that may change the resource. It fails as Read does, and with
// client.ErrInvalid if the lock is held in Shared mode.
func (f *Fence) Write(sequencer string) error {
	return f.admit(sequencer, true)
}

// Seen returns the newest admitted sequencer of each lock. If the resource survives a restart of
// its server, the server must store these sequencers beside the data, and pass them to Read of the
// new Fence before anything else: a Fence that has forgotten them admits former holders again.
func (f *Fence) Seen() []string {
	var all []newest
	for _, n := range f.newest { // order-free: sorted below
		if n.text != "" {
			all = append(all, n)
		}
	}
	slices.SortFunc(all, func(a, b newest) int { return strings.Compare(a.sequencer.Lock, b.sequencer.Lock) })
	var texts []string
	for _, n := range all {
		texts = append(texts, n.text)
	}
	return texts
}

func (f *Fence) admit(text string, write bool) error {
	if len(f.bad) > 0 {
		return fmt.Errorf("recipe: fence: %w: NewFence was given %q: give names of locks, /ls/CELL/PATH or /PATH", client.ErrInvalid, f.bad)
	}
	s, err := client.ParseSequencer(text)
	if err != nil {
		return err
	}
	have, ours := f.newest[s.Lock]
	switch {
	case !ours:
		return fmt.Errorf("recipe: fence: %w: lock %s does not protect this resource", client.ErrInvalid, s.Lock)
	case write && s.Mode != client.Exclusive:
		return fmt.Errorf("recipe: fence: %w: lock %s is held %v, and a write needs it exclusive", client.ErrInvalid, s.Lock, s.Mode)
	case have.text != "" && s.Compare(have.sequencer) < 0:
		return fmt.Errorf("recipe: fence: lock %s at generation %d: %w, at generation %d", s.Lock, s.Generation, ErrFenced, have.sequencer.Generation)
	}
	f.newest[s.Lock] = newest{s, text}
	return nil
}
