package exercise

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/chubbycell/chubby/sim"
)

// schedule is a history of a group without crashes, in which seeds of a second come too seldom: which messages
// arrive, in their order. All others are lost.
type schedule struct {
	name     string
	replicas int
	steps    string // "3 tries", or "3 prepare 1 2": what 3 has sent last of this kind arrives at 1, then at 2
}

// schedules are the ways to lose a chosen value that half a rule leaves open.
func schedules() []schedule {
	all := []schedule{{"a vote at a higher ballot than was promised", 3, `
		2 prepare 1 2, 1 promise 2, 2 promise 2
		3 prepare 2 3, 2 promise 3, 3 promise 3
		3 accept 1 3
		2 accept 1
		2 tries
		2 prepare 1 2, 1 promise 2, 2 promise 2
		2 accept 1 2`}}
	for _, order := range []string{"1 2 3", "1 3 2", "2 1 3", "2 3 1", "3 1 2", "3 2 1"} {
		answers := ""
		for _, n := range strings.Fields(order) {
			answers += n + " promise 4, "
		}
		all = append(all, schedule{"three votes, reported in the order " + order, 5, `
			1 prepare 1 4 5, 1 promise 1, 4 promise 1, 5 promise 1
			1 accept 1
			2 prepare 2 4 5, 2 promise 2, 4 promise 2, 5 promise 2
			2 accept 2
			3 prepare 3 4 5, 3 promise 3, 4 promise 3, 5 promise 3
			3 accept 3 4 5
			4 tries
			4 prepare 1 2 3, ` + answers + `
			4 accept 1 2 4`})
	}
	return all
}

// stage plays a schedule.
type stage struct {
	nodes []*Synod                     // by address; 0 is unused
	sent  map[string]map[sim.Addr]Note // by sender and kind, and by whom it goes to: the last one
	votes map[uint64]map[sim.Addr]bool // by ballot
	value map[uint64]string            // by ballot
	lines []string
}

// play runs the schedule, and says which two values were chosen; "" if there are no two.
func (c *schedule) play(rules Rules) (broke string, lines []string) {
	members := make([]sim.Addr, c.replicas)
	for i := range members {
		members[i] = sim.Addr(i + 1)
	}
	s := &stage{nodes: []*Synod{nil}, sent: map[string]map[sim.Addr]Note{}, votes: map[uint64]map[sim.Addr]bool{}, value: map[uint64]string{}}
	for _, self := range members {
		s.nodes = append(s.nodes, newSynod(sim.NodeConfig{Self: self, Members: members}, rules))
		s.take(self)
	}
	for _, step := range strings.FieldsFunc(c.steps, func(r rune) bool { return r == ',' || r == '\n' }) {
		f := strings.Fields(step)
		switch {
		case len(f) == 0:
		case f[1] == "tries":
			s.nodes[addr(f[0])].Advance(time.Time{})
			s.take(addr(f[0]))
		default:
			for _, to := range f[2:] {
				s.deliver(addr(f[0]), addr(to), f[1])
			}
		}
	}
	chosen := ""
	for _, b := range s.ballots() {
		switch v := s.value[b]; {
		case len(s.votes[b]) <= c.replicas/2:
		case chosen == "":
			chosen = v
		case chosen != v:
			return fmt.Sprintf("%q was chosen, and then %q", chosen, v), s.lines
		}
	}
	return "", s.lines
}

func addr(s string) sim.Addr { return sim.Addr(s[0] - '0') }

// ballots are those that have votes, from the lowest.
func (s *stage) ballots() []uint64 {
	var all []uint64
	for b := range s.votes {
		all = append(all, b)
	}
	slices.Sort(all)
	return all
}

// deliver brings a message, if it was sent: where a rule refuses, what the schedule has next is not there.
func (s *stage) deliver(from, to sim.Addr, kind string) {
	n, ok := s.sent[fmt.Sprint(from, kind)][to]
	if !ok {
		return
	}
	s.lines = append(s.lines, fmt.Sprintf("%v hears from %v: %s", to, from, n.Bytes()))
	s.nodes[to].Step(time.Time{}, from, n.Bytes())
	s.take(to)
}

// take has the disk keep what a node records, and keeps what it sends.
func (s *stage) take(who sim.Addr) {
	node := s.nodes[who]
	for {
		out := node.TakeOutput()
		for _, record := range out.Append {
			if n := decode(record); n.Kind == "accepted" {
				if s.votes[n.B] == nil {
					s.votes[n.B] = map[sim.Addr]bool{}
				}
				s.votes[n.B][who], s.value[n.B] = true, n.Val
			}
		}
		for _, e := range out.Send {
			n := decode(e.Msg)
			key := fmt.Sprint(who, n.Kind)
			if s.sent[key] == nil {
				s.sent[key] = map[sim.Addr]Note{}
			}
			s.sent[key][e.To] = n
		}
		if len(out.Append) == 0 {
			return
		}
		node.Durable(time.Time{}, out.SyncTo)
	}
}

// Schedules is the second part of OneValue: it stops at the first schedule that lets two values be
// chosen, and prints it.
func Schedules(t *testing.T, rules Rules) {
	t.Helper()
	for _, c := range schedules() {
		if broke, lines := c.play(rules); broke != "" {
			t.Fatalf("schedule %q: S1 broke: %s\n%s", c.name, broke, strings.Join(lines, "\n"))
		}
	}
}
