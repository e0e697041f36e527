package moments

import (
	"fmt"
	"strings"

	"github.com/chubbycell/chubby/paxos"
	"github.com/chubbycell/chubby/replica/driver"
	"github.com/chubbycell/chubby/replica/state/command"
)

// carried is the kind of the lines that say which commands a value carries.
const carried = "value"

// values puts the values that replicas propose into words, each once. A trace names a value by a
// digest. A value that was voted for and never executed is shown nowhere else.
type values struct {
	seen map[string]bool // by digest
	news []carriedValue  // not printed yet
}

type carriedValue struct {
	digest string
	texts  []string // one for each command
}

// note takes a message between replicas.
func (v *values) note(msg string) {
	if driver.IsTransfer(msg) {
		return
	}
	m, err := paxos.DecodeMessage(msg)
	if err != nil {
		return
	}
	switch m := m.(type) {
	case paxos.Accept:
		v.add(m.Slot, m.Value)
	case paxos.Promise:
		for _, vote := range m.Votes {
			v.add(vote.Slot, vote.Value)
		}
	}
}

func (v *values) add(slot paxos.Slot, value paxos.Value) {
	digest := value.String()
	if value == paxos.Noop || v.seen[digest] {
		return
	}
	if v.seen == nil {
		v.seen = map[string]bool{}
	}
	v.seen[digest] = true
	c := carriedValue{digest: digest}
	n := value.Len()
	for i, raw := range value.Commands {
		what := "bytes that are no command"
		if d, err := command.Decode(raw); err == nil {
			what = Clip(Squeeze(proposed(d)), 230)
		}
		c.texts = append(c.texts, fmt.Sprintf("%s of slot %d, command %d of %d: %s", digest, slot, i+1, n, what))
	}
	v.news = append(v.news, c)
}

// namedIn returns what is to be said before a line of the trace.
func (v *values) namedIn(line string) (texts []string) {
	for len(v.news) > 0 && strings.Contains(line, v.news[0].digest) {
		texts, v.news = append(texts, v.news[0].texts...), v.news[1:]
	}
	return texts
}
