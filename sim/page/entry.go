package page

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/chubbycell/chubby/sim"
	"github.com/chubbycell/chubby/sim/moments"
	"github.com/chubbycell/chubby/sim/story"
)

// Kinds of entries that are not messages. The kind of a message is the first word of its text.
const (
	breaks  = "break"   // a property breaks, or the run notes something
	fault   = "fault"   // a fault strikes
	effect  = "effect"  // an effect of a fault on a machine or a link, or the delayed part of a fault
	belief  = "belief"  // a machine has a new belief
	state   = "session" // a client's session is in a new state
	told    = "told"    // a program's call returned, or the program made a note
	durable = "disk"    // a record is on a disk
	failed  = "failed"  // a call to a disk fails
	applied = "log"     // a command is executed for the first time
)

// notMessages are those kinds, in the order in which a page lists them.
var notMessages = []string{breaks, fault, effect, belief, state, told, applied, durable, failed}

// entry is one thing on a page that can be clicked. A message is one entry for its sending and its receipt.
type entry struct {
	at      time.Duration // true time
	step    uint64        // the event of the world; 0: unknown
	who     sim.Addr
	kind    string
	text    string
	peer    sim.Addr      // the receiver of a message; 0: not a message
	got     time.Duration // when the message was received; never: it was not
	fate    fate
	mark    mark
	brought int // index in Log.All; of a received message: its receipt; None: the log has no moment of it
}

// never stands for the instant of an event that did not happen.
const never = time.Duration(-1)

// fate is what became of a message.
type fate byte

const (
	came    fate = iota // a process received it
	again               // a second copy that was received, too
	lost                // the network lost it by chance
	dropped             // a cut link, a machine that was down, or the end of the run kept it from being received
)

// mark is how an entry is related to the break.
type mark byte

const (
	aside  mark = iota // the break cannot have come from it
	past               // the break may have come from it
	picked             // the story tells it
)

// verb returns the first word of a text.
func verb(text string) string {
	word, _, _ := strings.Cut(text, " ")
	return word
}

// longest is the most bytes of an entry's text.
const longest = 400

// entries returns the entries of a run, in the order of true time. s is the zero Story if nothing broke.
func (r *Recorder) entries(s *story.Story, words *faultWords) []entry {
	var all []entry
	sending := map[int]int{} // entry by the moment of the sending
	next := 0                // index in r.changes
	for i := range r.log.All {
		m := &r.log.All[i]
		e := entry{at: m.At, step: m.Step, who: m.Who, text: moments.Clip(m.Text, longest), got: never, brought: i}
		switch m.Kind {
		case "send":
			sending[i] = len(all)
			e.kind, e.peer = messageKind(m.Text), m.Peer
			if e.fate = dropped; m.Lost {
				e.fate = lost
			}
		case "receive":
			if e.kind = messageKind(m.Text); m.Cause == moments.None {
				e.text = fmt.Sprintf("receives from %v, which never sent it: %s", m.Peer, e.text)
				break
			}
			at := sending[m.Cause]
			if first := &all[at]; first.got == never {
				first.got, first.fate, first.brought = m.At, came, i
				continue
			}
			e = all[at]
			e.got, e.fate, e.brought = m.At, again, i
		case moments.Acts, "fault":
			e.kind, e.text = words.of(r.log, i)
		default:
			e.kind, e.text = wordsOf(m, e.text)
		}
		all = append(all, e)
		for ; next < len(r.changes) && r.changes[next].after <= i; next++ {
			c := &r.changes[next]
			all = append(all, entry{at: c.at, who: c.who, kind: state, text: c.text, got: never, brought: moments.None})
		}
	}
	r.marks(all, s)
	slices.SortStableFunc(all, func(a, b entry) int { return cmp.Compare(a.at, b.at) }) // a second copy moves to the time of its sending
	return all
}

// marks sets the mark of each entry.
func (r *Recorder) marks(all []entry, s *story.Story) {
	if len(s.Past) == 0 {
		return
	}
	isTold := map[int]bool{}
	for _, i := range s.Told {
		isTold[i] = true
	}
	for i := range all {
		e := &all[i]
		switch {
		case e.brought < 0 || e.who == 0 && !isTold[e.brought]:
		case isTold[e.brought]:
			e.mark = picked
		case s.Past[e.brought]:
			e.mark = past
		}
	}
}

// messageKind returns the kind of a message.
func messageKind(text string) string {
	kind := verb(text)
	if kind == "" || strings.ContainsAny(kind, "0123456789") {
		return "message"
	}
	return kind
}

// wordsOf returns the kind and the text of a moment that is neither a message nor a fault.
func wordsOf(m *moments.Moment, text string) (string, string) {
	switch m.Kind {
	case "FAILURE":
		return breaks, "breaks: " + text
	case "NOTED":
		return breaks, "noted: " + text
	case "failed":
		return failed, text
	case moments.Durable, moments.Filed:
		return durable, "on its disk: " + text
	case moments.Executes:
		return applied, "the log executes " + text
	case moments.Told:
		return told, text
	}
	if m.Session {
		return state, text
	}
	return belief, text
}
