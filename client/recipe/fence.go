package recipe

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/chubbycell/chubby/client"
)

// ErrFenced is the error of a request whose sender has lost its lock: another acquisition of it has
// touched the resource since. It is final for that sender.
var ErrFenced = errors.New("a later holder of the lock has been here")

// Fence is the server's end of a sequencer: it keeps former holders of a lock away from a resource,
// without asking the cell (CHU §2.1, §2.4; C8.04). The resource shows it the sequencer of each
// request. A request is admitted unless a later acquisition of that lock was admitted before.
//
// Reads count. The present holder reads, and then writes what follows from that. If its read did not
// raise the mark, a write of the former holder could still come in between, and would be lost.
//
// A Fence does not know that a lock was lost, only that there is a later holder: until that one has
// come, the former one is admitted. A server for which this is too late calls client.CheckSequencer.
// It does not order the requests of one holder either.
//
// A Fence is not safe for concurrent use: to admit a request and to carry it out must be one step. Use
// it under the mutex under which the resource is read and written.
type Fence struct {
	newest map[string]newest // by the path of the lock in its cell
	bad    []string          // what NewFence was given, and is no name of a lock
}

// newest is the latest acquisition of a lock that was admitted.
type newest struct {
	sequencer client.Sequencer
	text      string
}

// NewFence returns the fence of a resource that these locks protect: the full names of their nodes,
// /ls/CELL/PATH, as Client.Open takes them, or the paths in their cell, such as "/primary". It refuses
// the sequencers of other locks. If a name is neither, it refuses all, and says why. Locks of different
// cells need a Fence each, since a sequencer does not name its cell: that of a full name is not looked at.
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

// pathOf returns the path in its cell of a lock with this full name or path.
func pathOf(lock string) (path string, ok bool) {
	rest, full := strings.CutPrefix(lock, "/ls/")
	if full {
		_, rest, _ = strings.Cut(rest, "/")
		return "/" + rest, true
	}
	return lock, strings.HasPrefix(lock, "/")
}

// Read admits a request that changes nothing, or fails: with ErrFenced if the sender's lock has had a
// later holder here, with client.ErrInvalid if the string is no sequencer of a lock of this Fence.
func (f *Fence) Read(sequencer string) error {
	return f.admit(sequencer, false)
}

// Write admits a request that may change the resource. It fails as Read does, and with
// client.ErrInvalid if the lock is held in Shared mode.
func (f *Fence) Write(sequencer string) error {
	return f.admit(sequencer, true)
}

// Seen returns the newest sequencer of each lock that has been admitted. A resource that survives a
// restart of its server keeps them beside its data, and shows them to Read of the new Fence first:
// a Fence that has forgotten them admits former holders again.
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
