package story

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"time"

	"github.com/chubbycell/chubby/sim/moments"
)

// carries matches KeepAlives that acknowledge events, and answers that bring events or drops.
var carries = regexp.MustCompile(`^(?:call|answer) #\d+ session (\d+) seq 0 .*(: keep-alive .*, acknowledges events to #\d+|: ok lease .* event #)`)

// mostCarried is how many receipts of each sort carried returns.
const mostCarried = 2

// sessionOfEvents returns the session that a report on events or caches is about: the first one that it names, or else
// the last one of the client of the break; "": there is none.
func (l log) sessionOfEvents(about *subjects) string {
	if !about.ofEvents || l.Broke == moments.None {
		return ""
	}
	if who := l.All[l.Broke].Who; about.session == "" && who.IsClient() {
		if all := l.lives(who); len(all) > 0 {
			return all[len(all)-1].session
		}
	}
	return about.session
}

// carried returns receipts of events by a session, and receipts of its acknowledgements, of each number the first. They
// are the first ones since the time at which, by the report, the missed event happened, or else the last ones. Which of
// its events a client still gets depends on both.
func (l log) carried(session string, about *subjects, end int) []int {
	switch {
	case session == "":
		return nil
	case len(about.times) > 0:
		return l.carriedSince(session, about.times[len(about.times)-1], end)
	}
	var brought, acks []int
	last := ""
	for i := end - 1; i >= 0; i-- {
		m := &l.All[i]
		if m.Kind != "receive" {
			continue
		}
		found := carries.FindStringSubmatch(m.Text)
		switch {
		case found == nil || found[1] != session:
		case m.Who.IsClient():
			if len(brought) < mostCarried {
				brought = append(brought, i)
			}
		case len(acks) > 0 && found[2] == last:
			acks[len(acks)-1] = i // an earlier one of this number
		case len(acks) == mostCarried:
			return inTurn(acks, brought)
		default:
			last = found[2]
			acks = append(acks, i)
		}
	}
	return inTurn(acks, brought)
}

// Acknowledgements of events in KeepAlives, and the answers that bring events, with the session and the epoch.
var (
	acksEvents = regexp.MustCompile(`^call #\d+ session (\d+) seq 0 seen \d+ \(epoch (\d+)\): keep-alive .*, acknowledges events to #(\d+)`)
	eventNo    = regexp.MustCompile(` event #(\d+) `)
)

// overAcked says up to which event the machine that receives moment i had sent events to the session in this epoch, if
// the KeepAlive acknowledges more than these: each master numbers them anew, and takes such events as delivered.
func overAcked(l log, i int) string {
	m := &l.All[i]
	ack := acksEvents.FindStringSubmatch(m.Text)
	if m.Kind != "receive" || ack == nil {
		return ""
	}
	brings := "session " + ack[1] + " seq 0 epoch " + ack[2] + " "
	acked, sent := number(ack[3]), 0
	for j := range i {
		if o := &l.All[j]; o.Who == m.Who && o.Kind == "send" && strings.Contains(o.Text, brings) {
			for _, found := range eventNo.FindAllStringSubmatch(o.Text, -1) {
				sent = max(sent, number(found[1]))
			}
		}
	}
	switch {
	case acked <= sent:
		return ""
	case sent == 0:
		return fmt.Sprintf("; in epoch %s %v had sent it no event", ack[2], m.Who)
	}
	return fmt.Sprintf("; in epoch %s %v had sent it events to #%d", ack[2], m.Who, sent)
}

// number reads digits that a pattern has found.
func number(digits string) int {
	n, _ := strconv.Atoi(digits)
	return n
}

// changesMaster matches the answers that tell a session of a fail-over, and the KeepAlives that present handles to the new
// master: after that, a client takes its events as lost.
var changesMaster = regexp.MustCompile(`^(?:answer|call) #\d+ session (\d+) seq 0 .*(: ok lease \S+ failover true|: keep-alive flushed \d+, [1-9]\d* tokens)`)

// carriedSince returns the first such receipts since a time, or, if none came since, the acknowledgement before it, and how the session
// changed over to another master meanwhile.
func (l log) carriedSince(session string, since time.Duration, end int) []int {
	var brought, acks, changes, counted []int
	seen := map[string]bool{} // acknowledgements
	for i := range l.All[:end] {
		m := &l.All[i]
		if change := changesMaster.FindStringSubmatch(m.Text); change != nil && change[1] == session && m.Kind == "receive" && m.At >= since && len(changes) < mostCarried {
			changes = append(changes, i)
		}
		found := carries.FindStringSubmatch(m.Text)
		switch {
		case m.Kind != "receive" || found == nil || found[1] != session:
		case m.At < since:
			if !m.Who.IsClient() && !seen[found[2]] {
				counted = []int{i}
			}
			seen[found[2]] = true
		case m.Who.IsClient():
			if len(brought) < mostCarried {
				brought = append(brought, i)
			}
		case !seen[found[2]] && len(acks) < mostCarried:
			seen[found[2]] = true
			acks = append(acks, i)
		}
	}
	if len(acks) == 0 {
		acks = counted
	}
	return append(changes, inTurn(brought, acks)...)
}
