package story

import (
	"regexp"

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

// carried returns the last receipts of events by a session, and the last receipts of its acknowledgements, of each
// number the first: the last one of each first. Which of its events a client still gets depends on both.
func (l log) carried(session string, end int) []int {
	if session == "" {
		return nil
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
