package lab

import (
	"fmt"
	"time"

	"github.com/chubbycell/chubby/sim"
)

// System is a lock system: what it models, and how it fails.
type System struct {
	Name    string // what a user types: lower case, one word
	Title   string // the product and the way it is used
	Version string // of what, read where; with marks
	Omits   string // what the model leaves out
	Token   string // what it offers for fencing; "none" and why, where there is none
	Options []Option
	// Lease is the TTL of Default, or the age from which others break its lock: a holder that is
	// silent for longer may lose it, then or later. 0: it has none.
	Lease time.Duration
	// Default is the system with its defaults, and with its token where it can have one: for
	// runs that no script decides.
	Default func(b *Bench) Lock
	// Whole says that the one server of Default stands for a cluster: no run may crash it, since
	// it keeps nothing, and a cluster would.
	Whole  bool
	Breaks []Break // in the order of their numbers
	// Load measures how many updates are lost; nil: nothing to compare with.
	Load *Load
}

// Option is a parameter that users meet, with the value of the model.
type Option struct {
	Name, Value, Mark string
}

// Break returns the break with this number.
func (s *System) Break(id string) (*Break, bool) {
	for i := range s.Breaks {
		if s.Breaks[i].ID == id {
			return &s.Breaks[i], true
		}
	}
	return nil, false
}

// Timed reports that the clients of Default know for how long their grants are good.
func (s *System) Timed() bool {
	b := newBench(Variant{Name: s.Name, Build: s.Default}, 1, sim.Trace{})
	defer b.world.Close()
	_, timed := b.lock.(Timed)
	return timed
}

// Validate names what is missing in the description of a system; nil: nothing.
func (s *System) Validate() error {
	if s.Name == "" || s.Title == "" || s.Version == "" || s.Omits == "" || s.Token == "" || s.Default == nil {
		return fmt.Errorf("system %q: Name, Title, Version, Omits, Token and Default are all needed", s.Name)
	}
	seen := map[string]bool{}
	for i := range s.Breaks {
		b := &s.Breaks[i]
		if seen[b.ID] {
			return fmt.Errorf("system %s: two breaks are called %s", s.Name, b.ID)
		}
		seen[b.ID] = true
		if err := b.validate(); err != nil {
			return fmt.Errorf("system %s: %w", s.Name, err)
		}
	}
	return nil
}
