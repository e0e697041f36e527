package story

import (
	"math/bits"
	"slices"
	"strings"

	"github.com/chubbycell/chubby/sim"
	"github.com/chubbycell/chubby/sim/moments"
)

// candidate is a moment that may be told.
type candidate struct {
	i     int
	who   sim.Addr
	kind  string
	verb  string // what is done
	names uint64 // which things of the report it names
	past  bool   // what broke may come from it
}

// outdoes says that c says of the same doings of the same machine all that d does.
func (c candidate) outdoes(d candidate) bool {
	return c.past == d.past && c.who == d.who && c.kind == d.kind && c.verb == d.verb && c.names&d.names == d.names
}

// picks goes back from the break and takes, of each machine and each sort of deed, the latest
// that names what the report names: of the past of the break first, and then of what the
// machine that broke could not know of. There is room for so many: those that name most are
// kept, if they name half as much as the best. They come in the order in which they happened.
func (l log) picks(about *subjects, past []bool, room int) []int {
	end := len(l.All)
	if l.Broke != moments.None {
		end = l.Broke
	}
	var all []candidate
	for i := end - 1; i >= 0; i-- {
		m := &l.All[i]
		switch m.Kind {
		case moments.Acts, "fault", "failed", "send", "NOTED":
			continue
		}
		c := candidate{i, m.Who, m.Kind, verb(m.Text), about.in(m.Text), past[i]}
		if c.names != 0 && !slices.ContainsFunc(all, func(o candidate) bool { return o.outdoes(c) }) {
			all = slices.DeleteFunc(all, c.outdoes)
			all = append(all, c)
		}
	}
	slices.SortStableFunc(all, func(a, b candidate) int { return l.weight(b, about) - l.weight(a, about) })
	best := 0
	for _, c := range all {
		best = max(best, bits.OnesCount64(c.names))
	}
	var picked []int
	for _, c := range all[:max(0, min(room, len(all)))] {
		if 2*bits.OnesCount64(c.names) >= best {
			picked = append(picked, c.i)
		}
	}
	slices.Sort(picked)
	return picked
}

// verb is the first word of a text, and of what comes behind a colon: the op of a call.
func verb(text string) string {
	word, rest, _ := strings.Cut(text, " ")
	_, op, _ := strings.Cut(rest, ": ")
	op, _, _ = strings.Cut(op, " ")
	return word + " " + op
}

// weight is what speaks for a moment: what it names; that it is of a machine that the report
// names; that it is an opinion, or lasts on a disk; and that the break may come from it.
func (l log) weight(c candidate, about *subjects) int {
	n := 4 * bits.OnesCount64(c.names)
	if about.machines[c.who] {
		n += 2
	}
	if c.kind == moments.Believes || c.kind == moments.Told || c.kind == moments.Durable {
		n++
	}
	if !c.past {
		n -= 3
	}
	return n
}
