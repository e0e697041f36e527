package zookeeper

import (
	"time"

	"github.com/chubbycell/chubby/sim/lab"
)

// The clients of the breaks: as the documentation has it, and without its token.
var (
	counted = recipe{guid: true, owner: true}
	plain   = recipe{guid: true, owner: true, nothing: true}
)

// atTheResource are the variants in which the resource decides, for breaks that no client
// can exclude.
func atTheResource(b lab.Break) lab.Break {
	b.Harm = lab.LosesUpdate
	b.Faulty = append(b.Faulty,
		lab.Variant{Name: noToken, Mark: document, Guard: lab.NoGuard, Build: build(plain)},
		lab.Variant{Name: czxid, Mark: derived, Guard: lab.WriteFence, Build: build(counted)})
	b.Repaired = append(b.Repaired,
		lab.Variant{Name: czxid, Mark: derived, Guard: lab.ReadFence, Build: build(counted)},
		lab.Variant{Name: "the resource looks for the node", Mark: derived, Guard: lab.CheckThenAct, Build: build(plain)})
	return b
}

func pause() lab.Break {
	return atTheResource(lab.Break{
		ID: "Z1", Mark: "[doc]",
		Title:  "the holder is paused, its session ends, and its worker runs before the thread that reads the socket",
		Lesson: "what a client knows of its session is as old as its last turn at the socket; the new holder's read has to raise the mark",
		Script: func(b *lab.Bench) {
			b.Client("A", lab.Job{Work: time.Second})
			b.Client("B", lab.Job{Start: start, Work: 6 * time.Second})
			b.When("A", lab.Checked, func() { b.Pause("A", 12*time.Second) })
		},
	})
}

func disconnected() lab.Break {
	local, stops := plain, plain
	local.gives = 4 * timeout / 3
	stops.stops = true
	return lab.Break{
		ID: "Z2", Mark: "[src]",
		Title:  "the holder is cut off and works on; its session ends without its knowledge",
		Lesson: "Disconnected means: perhaps no holder any more. A program that stops there has T/3 for its last write to land; one that waits to be told of the end has lost",
		Harm:   lab.LosesUpdate,
		Script: func(b *lab.Bench) {
			b.Client("A", lab.Job{Start: 1800 * time.Millisecond, Work: 7 * time.Second})
			b.Client("B", lab.Job{Start: 2 * time.Second, Work: 5 * time.Second})
			b.At(2500*time.Millisecond, func() { b.Cut([]string{"A"}, []string{ensemble}, time.Minute) })
		},
		Faulty: []lab.Variant{
			{Name: "goes on when Disconnected", Mark: source, Guard: lab.NoGuard, Build: build(plain)},
			{Name: "the same, client of 3.9.3", Mark: source, Guard: lab.NoGuard, Build: build(local)},
			{Name: "goes on, " + czxid, Mark: derived, Guard: lab.WriteFence, Build: build(counted)},
		},
		Repaired: []lab.Variant{
			{Name: "stops when Disconnected", Mark: document, Guard: lab.NoGuard, Build: build(stops)},
			{Name: "goes on, " + czxid, Mark: derived, Guard: lab.ReadFence, Build: build(counted)},
		},
	}
}

func foundAgain() lab.Break {
	curator := recipe{guid: true, gives: timeout, nothing: true}
	fixed, fenced := curator, curator
	fixed.owner = true
	fenced.nothing = false
	return lab.Break{
		ID: "Z3", Mark: "[iss] CURATOR-604",
		Title:  "Curator opens a new session, and takes the node of the old one for its own",
		Lesson: "an ephemeral node lives with the session that made it: a name alone does not make it one's own",
		Harm:   lab.LosesUpdate,
		Script: func(b *lab.Bench) {
			b.Client("A", lab.Job{Work: 6 * time.Second})
			b.Client("B", lab.Job{Start: start, Work: 3 * time.Second})
			b.At(1200*time.Microsecond, func() { b.HoldBack(ensemble, "A", 6500*time.Millisecond) })
			b.At(start, func() { b.Cut([]string{"A"}, []string{ensemble}, 7*time.Second) })
		},
		Faulty: []lab.Variant{
			{Name: "any node of its guid", Mark: issue, Guard: lab.NoGuard, Build: build(curator)},
		},
		Repaired: []lab.Variant{
			{Name: "compares the session of the node", Mark: derived, Guard: lab.NoGuard, Build: build(fixed)},
			{Name: "the same, " + czxid, Mark: derived, Guard: lab.ReadFence, Build: build(fenced)},
		},
	}
}

func orphan() lab.Break {
	return lab.Break{
		ID: "Z4", Mark: "[doc]",
		Title:  "the answer to a create is lost, and a client without a guid waits behind its own node",
		Lesson: "a request without an answer may have been done: name it so that you can find out",
		Harm:   lab.WaitsFor(time.Minute),
		Script: func(b *lab.Bench) {
			b.Client("A", lab.Job{Work: time.Second})
			b.At(1200*time.Microsecond, func() { b.HoldBack(ensemble, "A", 5*time.Second) })
		},
		Faulty: []lab.Variant{
			{Name: "creates again", Mark: document, Guard: lab.NoGuard, Build: build(recipe{nothing: true})},
		},
		Repaired: []lab.Variant{
			{Name: "looks for its guid", Mark: document, Guard: lab.NoGuard, Build: build(plain)},
		},
	}
}

func delay() lab.Break {
	return atTheResource(lab.Break{
		ID: "Z5", Mark: derived,
		Title:  "the holder checks its session, and its write is on its way until the session is over",
		Lesson: "a client can promise when it sends, and not when its message arrives: only the resource knows that",
		Script: func(b *lab.Bench) {
			b.Client("A", lab.Job{Work: 3500 * time.Millisecond})
			b.Client("B", lab.Job{Start: start, Work: 4 * time.Second})
			b.When("A", lab.Read, func() { b.HoldBack("A", ensemble, 12*time.Second) })
			b.When("A", lab.Checked, func() { b.HoldBack("A", lab.Resource, 8400*time.Millisecond) })
		},
	})
}

func localSession() lab.Break {
	return lab.Break{
		ID: "Z6", Mark: document,
		Title:    "an ephemeral node on a local session",
		Lesson:   "a local session has to be made global first; the client does that by itself, or sees an error",
		Unplayed: "the server refuses it with an error, which does no harm; local sessions are not modelled",
	}
}
