package story

import (
	"regexp"
	"slices"
	"strings"

	"github.com/chubbycell/chubby/replica/api"
	"github.com/chubbycell/chubby/sim/moments"
)

// Calls by handles, as messages tell them.
var (
	requestOf = regexp.MustCompile(`^call #\d+ session (\d+) seq (\d+) [^:]*: (.*)$`)
	answerOf  = regexp.MustCompile(`^answer #\d+ session (\d+) seq (\d+) `)
	handleOf  = regexp.MustCompile(`\b(h[0-9a-f]{6})\b`)
)

// mostOfHandle is how many other calls by the handle of a call are told.
const mostOfHandle = 2

// handleCall is a request for a call by a handle.
type handleCall struct {
	i            int // in Log.All; None: there is none
	session, seq string
	verb         string // the first word of the operation
	handle       string
	beside       bool // it was not answered when the other call was sent
}

// handleCallOf returns the call by a handle that a moment is the receipt of; false: it is no such moment.
func (l log) handleCallOf(i int) (c handleCall, ok bool) {
	m := &l.All[i]
	if m.Kind != "receive" {
		return c, false
	}
	found := requestOf.FindStringSubmatch(m.Text)
	if found == nil || found[2] == "0" {
		return c, false
	}
	by := handleOf.FindString(found[3])
	verb, _, _ := strings.Cut(found[3], " ")
	return handleCall{i: i, session: found[1], seq: found[2], verb: verb, handle: by}, by != ""
}

// ofHandle returns the receipt of the request for the call that the report is about, if it is a call by a handle, and
// those of other calls by that handle: of calls under way at the same time, and of the last ones of different kinds. What such a call may do depends on them: on a
// sequencer that the handle is tied to, a lock that it holds or waits for, or its end. The call is one that the report
// names, or else the last one whose request or answer the machine of the break received at the instant of the break.
func (l log) ofHandle(about *subjects, end, room int) (all []int) {
	if l.Broke == moments.None || room <= 0 {
		return nil
	}
	of := l.callOf(about, end)
	if of.handle == "" {
		return nil
	}
	all = append(all, of.i)
	seen := map[string]bool{of.seq: true}
	others := []handleCall{}
	answered := map[string]bool{} // calls of the session that were answered before this one was sent
	sent := l.All[of.i].At
	if i := l.All[of.i].Cause; i != moments.None {
		sent = l.All[i].At
	}
	for i := of.i - 1; i >= 0; i-- {
		if found := answerOf.FindStringSubmatch(l.All[i].Text); found != nil && found[1] == of.session && l.All[i].Kind == "receive" &&
			l.All[i].At <= sent && !strings.HasSuffix(l.All[i].Text, " "+api.Parked.String()) {
			answered[found[2]] = true
		}
		if c, ok := l.handleCallOf(i); ok && c.session == of.session && c.handle == of.handle && !seen[c.seq] {
			seen[c.seq] = true
			c.beside = !answered[c.seq]
			others = append(others, c)
		}
	}
	// A call that is under way at the same time comes first: a client makes some of them one after the other. A handle
	// that is tied to a sequencer does nothing that the sequencer does not allow: that one comes next.
	slices.SortStableFunc(others, func(a, b handleCall) int { return rank(a) - rank(b) })
	verbs := map[string]bool{}
	for _, c := range others {
		if len(all) < min(room, 1+mostOfHandle) && (c.beside || !verbs[c.verb]) {
			verbs[c.verb] = true
			all = append(all, c.i)
		}
	}
	return all
}

// rank orders calls by a handle: those on which most depends come first.
func rank(c handleCall) int {
	switch {
	case c.beside:
		return 0
	case c.verb == "attach":
		return 1
	case slices.Contains([]string{"acquire", "try", "release", "cancel", "close", "poison", "delete"}, c.verb):
		return 2
	}
	return 3
}

// callOf returns the call that a report is about, see ofHandle.
func (l log) callOf(about *subjects, end int) handleCall {
	if len(about.calls) > 0 {
		for i := end - 1; i >= 0; i-- {
			if c, ok := l.handleCallOf(i); ok && matches(about.calls, l.All[i].Text) {
				return c
			}
		}
		return handleCall{i: moments.None}
	}
	if l.Broke == moments.None || l.All[l.Broke].Who == 0 {
		return handleCall{i: moments.None}
	}
	broke := &l.All[l.Broke]
	session, seq := "", ""
	for i := end - 1; i >= 0; i-- {
		m := &l.All[i]
		if seq == "" && m.At < broke.At {
			break
		}
		if seq == "" && m.Who != broke.Who {
			continue
		}
		if c, ok := l.handleCallOf(i); ok && (seq == "" || c.session == session && c.seq == seq) {
			return c
		}
		if found := answerOf.FindStringSubmatch(m.Text); found != nil && seq == "" && m.Kind == "receive" && found[2] != "0" {
			session, seq = found[1], found[2]
		}
	}
	return handleCall{i: moments.None}
}
