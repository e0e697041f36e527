package story

import (
	"fmt"
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
