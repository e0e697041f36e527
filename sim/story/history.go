package story

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/chubbycell/chubby/client"
	"github.com/chubbycell/chubby/sim"
	"github.com/chubbycell/chubby/sim/moments"
)

// life is one session of a client, as the client was told of it.
type life struct {
	session string
	opened  int // the receipt of the answer to OpenSession
	gone    int // the first answer that the master does not know the session; moments.None: there was none
	ended   int // the first command that ends the session; moments.None: there is none
}

var (
	opens = regexp.MustCompile(`^answer \S+ session 0 .*: ok session (\d+)\b`)
	lacks = regexp.MustCompile(`^answer \S+ session (\d+) .*: no-session\b`)
	ends  = regexp.MustCompile(`^(?:Expire|EndSession)\b.*(?:\bsession |Session:)(\d+)\b`)
)

// lives returns the sessions of a client, in the order in which it was told of them.
func (l log) lives(who sim.Addr) (all []life) {
	of := func(session string) *life {
		for i := range all {
			if all[i].session == session {
				return &all[i]
			}
		}
		return &life{}
	}
	for i := range l.All {
		m := &l.All[i]
		switch {
		case l.Broke != moments.None && i > l.Broke:
			return all
		case m.Who == who && m.Kind == "receive":
			if found := opens.FindStringSubmatch(m.Text); found != nil && of(found[1]).session == "" {
				all = append(all, life{found[1], i, moments.None, moments.None})
			} else if found := lacks.FindStringSubmatch(m.Text); found != nil && of(found[1]).gone == moments.None {
				of(found[1]).gone = i
			}
		case m.Kind == moments.Executes:
			if found := ends.FindStringSubmatch(m.Text); found != nil && of(found[1]).ended == moments.None {
				of(found[1]).ended = i
			}
		}
	}
	return all
}

var keepAlive = regexp.MustCompile(`^call \S+ session (\d+) .*: keep-alive flushed (\d+), (\d+) tokens\b`)

// presented says how many of its handles a client has presented to the present master, if its session is older than
// the master's epoch; else "".
func (l log) presented(who sim.Addr, st client.Status) string {
	most, earlier := 0, false
	session, epoch := fmt.Sprint(uint64(st.Session)), fmt.Sprint(uint64(st.Epoch))
	for i := range l.All {
		m := &l.All[i]
		if l.Broke != moments.None && i > l.Broke {
			break
		}
		if m.Who != who || m.Kind != "send" {
			continue
		}
		found := keepAlive.FindStringSubmatch(m.Text)
		if found == nil || found[1] != session {
			continue
		}
		n, _ := strconv.Atoi(found[3])
		if most = max(most, n); found[2] == epoch {
			continue
		}
		if earlier = true; n == 0 { // all before it were for masters before
			most = 0
		}
	}
	if !earlier {
		return ""
	}
	return fmt.Sprintf("; has presented %s to the master of epoch %s", counted(most, "handle"), epoch)
}

// addSessions adds moments of the last session of the client of the break, at most room in all. What a client reports of
// itself, such as a call that failed, often does not name its session.
func (t *teller) addSessions(picked []int, room int) []int {
	if !t.breach.On.IsClient() {
		return picked
	}
	all := t.lives(t.breach.On)
	if len(all) == 0 {
		return picked
	}
	about := subjectsOf(fmt.Sprintf("%v: session %s", t.breach.On, all[len(all)-1].session))
	for _, i := range t.picks(about, t.past, room-len(picked), moments.None, false) {
		if !slices.Contains(picked, i) {
			picked = append(picked, i)
		}
	}
	slices.Sort(picked)
	return picked
}

// mostLives is how many sessions of a client are told: the last ones.
const mostLives = 3

// sessions says which sessions a client had, and how they ended; "" if it had one only, which has not ended.
func (l log) sessions(who sim.Addr) string {
	all := l.lives(who)
	if len(all) == 0 || len(all) == 1 && all[0].gone == moments.None && all[0].ended == moments.None {
		return ""
	}
	first := max(0, len(all)-mostLives)
	var told []string
	for _, s := range all[first:] {
		text := fmt.Sprintf("%s from %s s", s.session, moments.Short(l.All[s.opened].At))
		if s.ended != moments.None {
			verb, _, _ := strings.Cut(l.All[s.ended].Text, " ")
			text += fmt.Sprintf(" to its %s at %s s", verb, moments.Short(l.All[s.ended].At))
		}
		if s.gone != moments.None {
			text += fmt.Sprintf(", told no-session at %s s", moments.Short(l.All[s.gone].At))
		}
		told = append(told, text)
	}
	what := "its sessions: "
	if first > 0 {
		what = fmt.Sprintf("the last of its %d sessions: ", len(all))
	}
	if last := all[len(all)-1]; last.gone != moments.None && !l.asksForSession(who, last.gone) {
		told = append(told, "since then it has asked for no other")
	}
	return "; " + what + strings.Join(told, "; ")
}

// asksForSession reports whether a client sent an OpenSession after moment i.
func (l log) asksForSession(who sim.Addr, i int) bool {
	end := endOf(l)
	return slices.ContainsFunc(l.All[min(i, end):end], func(m moments.Moment) bool {
		return m.Who == who && m.Kind == "send" && strings.Contains(m.Text, ": open session ")
	})
}
