package tour

import (
	"context"
	"time"

	"github.com/chubbycell/chubby/client"
	"github.com/chubbycell/chubby/sim/moments"
	"github.com/chubbycell/chubby/sim/scenario"
)

// jeopardy cuts a client off for a moment, and then for too long.
func jeopardy() Scene {
	return Scene{
		Name: "jeopardy", Title: "Jeopardy, grace, and the end of a session",
		Questions: [3]Question{
			{"A client hears nothing from the cell until its lease is over by its own clock. Is its session over?", "The client cannot know: the session may have ended, or the cell may have no master. So it is in jeopardy: it drops its cache, holds calls back, and waits for the grace period."},
			{"The client holds a lock. Which comes first: the client gives up, or the cell gives the lock to another client?", "Usually the cell gives the lock away first. It waits for the end of the lease that it has granted, which is never earlier than the end that the client counts; the client then waits for the grace period on top. So in jeopardy another client may already have the lock, and a program must stop acting when it hears of jeopardy, or use the sequencer."},
			{"The client comes back within the grace period, and the master is the same one. What then?", "If the master has not ended the session, a KeepAlive extends it, and the program hears that it is safe. Otherwise the client learns that its session is gone, with all handles and locks."},
		},
		Read: []string{"client/session/lease.go", "replica/master/session/doc.go", "docs/decisions/0029-session-leases.md"},
		seed: 2, clients: 2, length: 42 * sec, tune: []string{"session-lease=4s", "grace=12s"},
		parts: func() (func(scenario.Stage), func(int, actor)) {
			return func(s scenario.Stage) {
					s.After(8*sec, func() { // as it may be: some heartbeats are enough for the lease to run out
						mend := clientOnly(s, 0)
						ends(s, 4500*ms, mend)
					})
					s.After(20*sec, func() { ends(s, 18*sec, clientOnly(s, 0)) })
				}, func(i int, a actor) {
					switch h := a.open(client.OpenOptions{}); {
					case i == 0 && h != nil:
						_, err := h.Acquire(a.ctx, client.Exclusive)
						a.says("asks for the lock: %s", short(err))
						a.watchesSession(41 * sec)
					case h != nil:
						a.at(21 * sec)
						began := a.Now()
						_, err := h.Acquire(a.ctx, client.Exclusive)
						a.says("asks for the lock, and is answered after %v: %s", a.took(began), short(err))
					}
				}
		},
		tells: []tell{
			{kind: says, text: `lock`, most: 3},
			{kind: says, text: `session`, most: 8},
			{kind: moments.Done, text: `are lost`, most: 2},
			{kind: moments.Done, text: `get through again`, most: 2},
			{kind: moments.Executes, text: `(Expire|End).*`, most: 1, from: 20 * sec},
		},
	}
}

// staleSequencer has the holder of a lock stand still until another one has it.
func staleSequencer() Scene {
	return Scene{
		Name: "stale-sequencer", Title: "A holder that wakes up too late",
		Questions: [3]Question{
			{"A program acquires a lock, stands still for half a minute, and continues. Does it know that its lock is gone?", "Not at its first step. None of its code has run meanwhile, and its last look at the lock said that it was held. Any length of time may pass between looking and acting."},
			{"What can keep it from doing harm?", "The server that it writes to. The request carries the sequencer of the lock, and the server refuses a sequencer that is lower than the highest that it has seen, on reads and on writes. Asking the cell, as in this scene, says only how it was at the instant of the answer."},
			{"What is in a sequencer, so that an old one can be recognized?", "The name of the node, its instance, the mode, and the generation of the lock, which rises whenever a free lock is acquired. So a sequencer is a statement that is either still true or not."},
		},
		Read: []string{"client/sequencer.go", "docs/decisions/0026-tokens.md", "sim/resource/resource.go"},
		seed: 2, clients: 3, length: 40 * sec, tune: []string{"session-lease=4s", "grace=8s"},
		parts: func() (func(scenario.Stage), func(int, actor)) {
			sequencer := "" // as it goes to the server, with what c1 writes there
			return func(s scenario.Stage) {
					s.After(9*sec, func() { s.Clients()[0].PauseFor(22 * sec) })
				}, func(i int, a actor) {
					h := a.open(client.OpenOptions{})
					if h == nil {
						return
					}
					switch i {
					case 0: // the holder
						l, err := h.Acquire(a.ctx, client.Exclusive)
						a.says("acquires the lock: %s", short(err))
						if err != nil {
							return
						}
						sequencer = l.Sequencer()
						a.at(8950 * ms)
						a.says("looks at its lock, before it writes: held %v", l.Held())
						_ = a.Sleep(a.ctx, 100*ms) // stands still here, for longer than it meant to
						a.says("goes on with its next line, which writes")
						_ = a.Sleep(a.ctx, 500*ms)
						a.says("looks at its lock again: held %v", l.Held())
					case 1: // waits for it
						a.at(8 * sec)
						began := a.Now()
						_, err := h.Acquire(a.ctx, client.Exclusive)
						a.says("acquires the lock, after %v: %s", a.took(began), short(err))
					case 2: // the server that checks
						for _, t := range []int{8, 31} {
							a.at(sec * time.Duration(t))
							err := a.within(4*sec, func(ctx context.Context) error { return h.CheckSequencer(ctx, sequencer) })
							a.says("is the server; asks whether the sequencer of c1 is valid: %s", short(err))
						}
					}
				}
		},
		tells: []tell{
			{kind: says, text: `.`, most: 9},
			{kind: moments.Done, text: `is paused|resumes`, most: 2},
			{kind: moments.Executes, text: `(Expire|End).*`, from: 9 * sec},
			{kind: moments.Heard, text: `check|sequencer`, most: 2},
		},
	}
}

// invalidation writes a file that others have cached.
func invalidation() Scene {
	return Scene{
		Name: "invalidation", Title: "A write waits until no cache has the old contents",
		Questions: [3]Question{
			{"Two clients have a file in their caches, and a third one writes it. When is the write done?", "When each of the two has confirmed that it dropped the file, or its session lease has ended. Only then does the log get the new contents, so no cache contradicts the log."},
			{"How many messages does a read cost that the cache answers?", "None. That is why a write waits: the master must first reach every client that may read without asking."},
			{"One of the two is cut off. What does the write wait for, and how does that client know that it must not read its cache?", "For the end of the lease that the master gave to that client. The client counts a shorter lease than the master does. When its own count ends, it is in jeopardy, and its cache is off until it hears from the master."},
		},
		Read: []string{"replica/master/cache/doc.go", "client/cache/doc.go", "docs/decisions/0052-caches.md"},
		seed: 2, clients: 3, length: 30 * sec, tune: []string{"caches=1", "session-lease=4s", "grace=12s"},
		parts: func() (func(scenario.Stage), func(int, actor)) {
			return func(s scenario.Stage) {
					s.After(15*sec, func() { ends(s, 8*sec, clientOnly(s, 0)) })
				}, func(i int, a actor) {
					h := a.open(client.OpenOptions{})
					if h == nil {
						return
					}
					if i == 2 {
						for n, t := range []int{6, 8, 16} {
							a.at(sec * time.Duration(t))
							began := a.Now()
							_, err := h.SetContents(a.ctx, []string{"one", "two", "three"}[n], 0)
							a.says("writes %q, which takes %v: %s", []string{"one", "two", "three"}[n], a.took(began), short(err))
						}
						return
					}
					for _, t := range [][]int{{7, 7, 9, 17, 21, 27}, {7, 9, 27}}[i] {
						a.at(sec * time.Duration(t))
						began := a.Now()
						var contents string
						err := a.within(sec, func(ctx context.Context) (err error) {
							contents, _, err = h.Contents(ctx)
							return err
						})
						switch {
						case err != nil:
							a.says("reads nothing: %s", short(err))
						case a.Now().After(began):
							a.says("reads %q from the master", contents)
						default:
							a.says("reads %q from its cache", contents)
						}
					}
				}
		},
		tells: []tell{
			{kind: says, text: `writes|reads`, most: 12},
			{kind: moments.Heard, text: `set contents`, from: 7500 * ms, most: 1},
			{kind: moments.Heard, text: `event #\d+ drop`, from: 7500 * ms, most: 3},
			{kind: moments.Done, text: `are lost|get through again`, most: 2},
			{kind: moments.Heard, text: `set contents`, from: 15 * sec, most: 1},
			{kind: moments.Executes, text: `SetContents`, from: 7500 * ms, most: 3},
		},
	}
}
