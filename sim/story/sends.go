package story

import (
	"fmt"
	"math/bits"
	"slices"
	"strings"
	"time"

	"github.com/chubbycell/chubby/sim/moments"
)

// mostSends is how many messages are told that the machine of the break sends in the step of the break.
const mostSends = 3

// sends tells what the machine of the break sends in the step of the break to machines, or about things, that the report
// names. A report that an answer is wrong or missing is judged by what it sends.
func (t *teller) sends(m *moments.Moment) string {
	type sending struct {
		text   string
		weight int
	}
	var all []sending
	for i := range t.All {
		o := &t.All[i]
		if o.Step != m.Step || o.Who != m.Who || o.Kind != "send" {
			continue
		}
		if n := bits.OnesCount64(t.about.in(o.Text)); n > 0 {
			all = append(all, sending{fmt.Sprintf("to %v: %s", o.Peer, t.clip(o.Text)), n})
		}
	}
	slices.SortStableFunc(all, func(a, b sending) int { return b.weight - a.weight })
	if len(all) == 0 {
		return ""
	}
	var told []string
	for _, s := range all[:min(len(all), mostSends)] {
		told = append(told, s.text)
	}
	more := ""
	if n := len(all) - mostSends; n > 0 {
		more = fmt.Sprintf("; and %d more", n)
	}
	return "; in this event it sends " + strings.Join(told, "; ") + more
}

// silence is for how long a machine must have sent nothing before a break for its last message to be told.
const silence = time.Second

// quiet tells the last message that the machine of the break sent in its present life, if that was long ago.
func (t *teller) quiet(m *moments.Moment) string {
	for i := m.Prev; i != moments.None; i = t.All[i].Prev {
		o := &t.All[i]
		switch {
		case o.Kind == "fault" && strings.HasPrefix(o.Text, "start "):
			return ""
		case o.Kind == "send" && o.At > m.At-silence:
			return ""
		case o.Kind == "send":
			return fmt.Sprintf("; it has sent nothing since %s s, when it sent to %v: %s", moments.Short(o.At), o.Peer, moments.Clip(o.Text, 150))
		}
	}
	return ""
}
