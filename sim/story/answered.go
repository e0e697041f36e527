package story

import (
	"cmp"
	"fmt"
	"regexp"
	"strings"

	"github.com/chubbycell/chubby/replica/api"
	"github.com/chubbycell/chubby/sim/moments"
)

// mostOfAnswer is the most bytes of an answer that is told with its request.
const mostOfAnswer = 90

// answered tells what a machine answered to the request whose receipt is moment i, and when, or that it did not; empty
// for a request that arrives in the step of the break, and if the receipt of the answer is told, too.
func (t *teller) answered(i int) string {
	m := &t.All[i]
	found := requestNo.FindStringSubmatch(m.Text)
	if m.Kind != "receive" || found == nil || t.isOfStep(i) {
		return ""
	}
	for _, j := range t.picked {
		if o := &t.All[j]; o.Kind == "receive" && o.Peer == m.Who && strings.HasPrefix(o.Text, "answer "+found[1]+" ") {
			return ""
		}
	}
	parked := false
	for j := i + 1; j < endOf(t.log); j++ {
		o := &t.All[j]
		switch {
		case o.Who != m.Who:
		case o.Kind == "fault" && strings.HasPrefix(o.Text, "start "):
			return "" // the process that had the request has ended
		case o.Kind == "send" && o.Peer == m.Peer && strings.HasPrefix(o.Text, "answer "+found[1]+" "):
			if strings.HasSuffix(o.Text, " "+api.Parked.String()) {
				parked = true
				continue
			}
			_, text, _ := strings.Cut(o.Text, ": ")
			return fmt.Sprintf("; answered at %s s: %s", moments.Short(o.At), moments.Clip(text, mostOfAnswer))
		}
	}
	if parked {
		return "; told that it waits, not answered before the break"
	}
	return "; not answered before the break"
}

// bringsEvents matches the answer to a KeepAlive that brings events or drops.
var bringsEvents = regexp.MustCompile(`^answer (#\d+) session (\d+) seq 0 epoch (\d+) master \d+: ok lease (\S+) failover false(.* event #.*)$`)

// mostOfEvents is the most bytes of such an answer that are told: what matters may be any of its events.
const mostOfEvents = 270

// received is the message whose receipt is moment i, shortened.
func received(t *teller, i int) string {
	text := t.All[i].Text
	if found := bringsEvents.FindStringSubmatch(text); found != nil {
		return moments.Clip(fmt.Sprintf("answer %s to a KeepAlive of session %s (epoch %s): lease %s%s", found[1], found[2], found[3], found[4], found[5]), mostOfEvents)
	}
	return t.clip(text)
}

// repeated says since when the client had an answer to the message that it gets another answer to, if moment i is such a
// receipt: a client takes one only.
func repeated(l log, i int) string {
	m := &l.All[i]
	head := answerHead.FindString(m.Text)
	if m.Kind != "receive" || head == "" {
		return ""
	}
	for j := i - 1; j >= 0; j-- {
		o := &l.All[j]
		switch {
		case o.Who != m.Who:
		case o.Kind == "fault" && strings.HasPrefix(o.Text, "start "):
			return ""
		case o.Kind == "receive" && strings.HasPrefix(o.Text, head) && !strings.HasSuffix(o.Text, " "+api.Parked.String()):
			return fmt.Sprintf("; %v had an answer to that message, since %s s", m.Who, moments.Short(o.At))
		}
	}
	return ""
}

// answerHead is the beginning of an answer, with the number of the message that it answers.
var answerHead = regexp.MustCompile(`^answer #\d+ `)

// commandOf is the call that the log executes.
var commandOf = regexp.MustCompile(` as call ([1-9]\d*) of session (\d+), `)

// callOfCommand tells of the call which moment i executes for the first time that it had been answered "ok" before, or else
// when a replica received it: what the master did meanwhile lies between the two.
func callOfCommand(l log, i int) string {
	found := commandOf.FindStringSubmatch(l.All[i].Text)
	if found == nil {
		return ""
	}
	answer := regexp.MustCompile(`^answer #\d+ session ` + found[2] + ` seq ` + found[1] + ` [^:]*: ok`)
	call := regexp.MustCompile(`^call #\d+ session ` + found[2] + ` seq ` + found[1] + ` `)
	before, came := "", ""
	for j := range i {
		switch o := &l.All[j]; {
		case o.Kind == moments.Executes && strings.Contains(o.Text, found[0]):
			return "" // a repeated command
		case o.Kind == "receive" && call.MatchString(o.Text):
			came = fmt.Sprintf("; %v received that call at %s s", o.Who, moments.Short(o.At))
		case before == "" && o.Kind == "send" && answer.MatchString(o.Text):
			_, text, _ := strings.Cut(o.Text, ": ")
			before = fmt.Sprintf("; %v had answered that call before, at %s s: %s", o.Who, moments.Short(o.At), moments.Clip(text, mostOfAnswer))
		}
	}
	return cmp.Or(before, came)
}

// afterFailure tells what became of the process whose disk call failed, if moment i is such a call: it has failed, too, or
// has gone on.
func (t *teller) afterFailure(i int) string {
	if !moments.IsFailedCall(&t.All[i]) {
		return ""
	}
	for j := i + 1; j < endOf(t.log); j++ {
		o := &t.All[j]
		kind, _, _ := strings.Cut(o.Text, " ")
		switch {
		case o.Who != t.All[i].Who:
		case o.Kind == "failed":
			return fmt.Sprintf("; its process fails at %s s", moments.Short(o.At))
		case o.Kind == "fault" && (kind == "crash" || kind == "kill"):
			return fmt.Sprintf("; its process goes on until %s s", moments.Short(o.At))
		}
	}
	return "; its process goes on"
}
