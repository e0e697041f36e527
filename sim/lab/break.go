package lab

import (
	"fmt"
	"time"

	"github.com/chubbycell/chubby/sim/plan"
)

// Break is one numbered failure of a system: a script, what harm it does, and which variants
// of the system suffer it.
type Break struct {
	ID     string // such as X1
	Title  string // what happens, in one line
	Mark   string // where the claim comes from, such as "[doc]"
	Lesson string // what is to be learnt, in one or two sentences

	Harm     Harm
	Script   func(b *Bench) // clients and faults, the same for each variant
	Faulty   []Variant      // the harm happens in each
	Repaired []Variant      // and in none of these
	Length   time.Duration  // when the run ends, at the latest; 0: after two minutes
	// Unplayed says why there is no script; then the fields above are empty.
	Unplayed string
}

// Variant is a system with its choices made, and a resource beside it.
type Variant struct {
	Name  string
	Mark  string // where a repair is described
	Guard plan.FenceMode
	// Inside says that the resource is data of the lock service's own store: each request is
	// one transaction with a look at the lock (Transactor), beside what Guard checks.
	Inside bool
	Build  func(b *Bench) Lock // puts the machines into the world
	// Sometimes says that it depends on the seed whether the harm happens: of a faulty variant
	// that loses by a throw of dice, such as a disk that may or may not keep an unsynced write.
	Sometimes bool
}

// Resource says in words how the resource guards itself.
func (v *Variant) Resource() string {
	if v.Inside {
		return sameTransaction
	}
	return v.Guard.String()
}

// sameTransaction is the guard of a resource that is Inside.
const sameTransaction = "same transaction"

// The ways in which a resource guards itself, under the names of this package.
const (
	NoGuard        = plan.FenceNothing // takes every write
	WriteFence     = plan.FenceWrites  // refuses a write with a lower token than that of a write it took
	ReadFence      = plan.FenceReads   // the same, and reads carry the token and raise the mark
	CheckThenAct   = plan.FenceAsk     // asks the lock service, and acts a moment later
	CompareAndSwap = plan.FenceCompare // refuses a write that was made from another version than the present one
)

// defaultLength is how long a run is, where its break says nothing.
const defaultLength = 2 * time.Minute

func (b *Break) validate() error {
	switch {
	case b.ID == "" || b.Title == "" || b.Mark == "" || b.Lesson == "":
		return fmt.Errorf("break %q: ID, Title, Mark and Lesson are all needed", b.ID)
	case b.Unplayed != "" && b.Script == nil:
		return nil
	case b.Script == nil || b.Harm.in == nil || len(b.Faulty) == 0 || len(b.Repaired) == 0:
		return fmt.Errorf("break %s: Script, Harm, Faulty and Repaired are needed, or Unplayed with the reason", b.ID)
	}
	for _, v := range append(append([]Variant(nil), b.Faulty...), b.Repaired...) {
		if v.Name == "" || v.Build == nil {
			return fmt.Errorf("break %s: each variant needs Name and Build", b.ID)
		}
	}
	return nil
}
