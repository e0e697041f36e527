package events

import (
	"fmt"

	"github.com/chubbycell/chubby/linearizability/history"
)

// Access is one request to a resource that only the holder of a lock should use, with the
// decision of the resource.
type Access struct {
	At     int64 // true time in nanoseconds, for reports only
	Client int64
	Write  bool
	// Token is what the request carried: the lock generation under which the client acts.
	Token    uint64
	Accepted bool
	// Version identifies what a write creates: a number other than 0 that no other write has.
	Version uint64
	// Base is, for a write, the version that the client had read before; 0: the initial state.
	Base uint64
}

// CheckFencing checks the decisions of a resource, in the order in which it made them (property
// S10). It finds accepted accesses whose token is below an accepted one before, classified by
// the kinds of the two accesses; and lost updates, one finding for each write that a later one
// replaced without having read it.
//
// The caller decides which findings are errors, because that depends on what the resource
// checks. A resource that checks tokens on reads and writes shows none. One that checks writes
// only shows no WriteBelowWrite, but loses updates: it accepts the write of an old holder as
// long as the new one has only read. One that asks the lock service and then acts may show any.
// One that compares versions shows no LostUpdate, whatever the tokens.
func CheckFencing(accesses []Access) []Finding {
	c := fencing{accesses: accesses, made: map[uint64]int{}, depth: map[uint64]int{}, highest: [2]int{-1, -1}}
	for i := range accesses {
		if accesses[i].Accepted {
			c.checkToken(i)
			c.checkUpdate(i)
		}
	}
	return c.found
}

// fencing is the state of a CheckFencing.
type fencing struct {
	accesses []Access
	found    findings
	highest  [2]int         // the read, and the write, with the highest token; -1: none
	present  uint64         // the current version of the resource
	made     map[uint64]int // by version: the write that created it
	depth    map[uint64]int // by version: the length of its chain of bases, itself included
}

// belowKinds is indexed by the later access, then the earlier one: read, write.
var belowKinds = [2][2]FindingKind{{ReadBelowRead, ReadBelowWrite}, {WriteBelowRead, WriteBelowWrite}}

// index returns the index of a kind of access in belowKinds.
func index(write bool) int {
	if write {
		return 1
	}
	return 0
}

func (c *fencing) checkToken(i int) {
	a := &c.accesses[i]
	for kind, j := range c.highest {
		if j >= 0 && c.accesses[j].Token > a.Token {
			c.found.add(belowKinds[index(a.Write)][kind], []int{j, i},
				"a token below one that was accepted before:\n  %s\n  %s", c.line(j), c.line(i))
		}
	}
	h := &c.highest[index(a.Write)]
	if *h < 0 || c.accesses[*h].Token <= a.Token {
		*h = i
	}
}

// checkUpdate finds the versions that a write replaced without its client having read them:
// those in the chain of the current version that are not in the chain of its base.
func (c *fencing) checkUpdate(i int) {
	w := &c.accesses[i]
	if !w.Write {
		return
	}
	_, again := c.made[w.Version]
	if _, known := c.made[w.Base]; !known && w.Base != 0 || again || w.Version == 0 {
		c.found.add(Unfounded, []int{i}, "a write whose version is not new, or whose base never existed:\n  %s", c.line(i))
		return
	}
	for v, seen := c.present, w.Base; v != seen; {
		if c.depth[v] < c.depth[seen] {
			seen = c.accesses[c.made[seen]].Base
			continue
		}
		lost := c.made[v]
		c.found.add(LostUpdate, []int{lost, i}, "an update is lost:\n  %s\n  %s, without having read it", c.line(lost), c.line(i))
		v = c.accesses[lost].Base
	}
	c.made[w.Version], c.depth[w.Version], c.present = i, c.depth[w.Base]+1, w.Version
}

// line describes an access.
func (c *fencing) line(i int) string {
	a := &c.accesses[i]
	what := "read"
	if a.Write {
		what = fmt.Sprintf("wrote version %d, made from %d,", a.Version, a.Base)
	}
	return fmt.Sprintf("client %d %s with token %d at %s", a.Client, what, a.Token, history.Seconds(a.At))
}
