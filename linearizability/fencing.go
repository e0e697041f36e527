package linearizability

import "fmt"

// Access is one request to a resource that is meant for the holder of a lock
// alone, as the resource decided it.
type Access struct {
	At     int64 // true time in nanoseconds, for reports only
	Client int64
	Write  bool
	// Token is what the request carried: the lock generation under which the
	// client believes to act.
	Token    uint64
	Accepted bool
	// Version names what a write makes: a number other than 0 that no other write
	// has.
	Version uint64
	// Base is, of a write, the version that the client had read and made the new
	// one from; 0: what was there at the start.
	Base uint64
}

// CheckFencing judges what a resource did, its accesses being in the order in
// which it decided them (property S10). It finds two things: accepted accesses
// with a token below one accepted before, told apart by what the two were; and
// lost updates, one finding for each write that a later one replaced without
// having seen it.
//
// Which of them must not be is the caller's to know, who knows what the resource
// checks. One that checks tokens on reads and writes shows none. One that checks
// writes only shows no WriteBelowWrite, and loses updates: an old holder's write
// is accepted as long as the new one has only read. One that asks the lock
// service and then acts may show any, and one that compares versions shows no
// LostUpdate, whatever the tokens.
func CheckFencing(accesses []Access) []Finding {
	c := fencing{accesses: accesses, made: map[uint64]int{}, depth: map[uint64]int{}, highest: [2]int{-1, -1}}
	for i := range accesses {
		if accesses[i].Accepted {
			c.regression(i)
			c.update(i)
		}
	}
	return c.found
}

// fencing is the sweep over the accesses.
type fencing struct {
	accesses []Access
	found    findings
	highest  [2]int         // the read, and the write, with the highest token; -1: none
	present  uint64         // version of the resource
	made     map[uint64]int // by version: the write that made it
	depth    map[uint64]int // by version: how many writes it stands on, itself included
}

// belowKinds are by what the later access was, then the earlier one: read, write.
var belowKinds = [2][2]FindingKind{{ReadBelowRead, ReadBelowWrite}, {WriteBelowRead, WriteBelowWrite}}

func (c *fencing) regression(i int) {
	a := &c.accesses[i]
	for kind, j := range c.highest {
		if j >= 0 && c.accesses[j].Token > a.Token {
			c.found.add(belowKinds[flag(a.Write)][kind], []int{j, i},
				"a token below one that was accepted before:\n  %s\n  %s", c.line(j), c.line(i))
		}
	}
	h := &c.highest[flag(a.Write)]
	if *h < 0 || c.accesses[*h].Token <= a.Token {
		*h = i
	}
}

// update finds what a write replaced unseen: the versions under the present one
// that its base does not stand on.
func (c *fencing) update(i int) {
	w := &c.accesses[i]
	if !w.Write {
		return
	}
	_, again := c.made[w.Version]
	if _, known := c.made[w.Base]; !known && w.Base != 0 || again || w.Version == 0 {
		c.found.add(Unfounded, []int{i}, "a write whose version is not new, or whose base never was:\n  %s", c.line(i))
		return
	}
	for v, seen := c.present, w.Base; v != seen; {
		if c.depth[v] < c.depth[seen] {
			seen = c.accesses[c.made[seen]].Base
			continue
		}
		lost := c.made[v]
		c.found.add(LostUpdate, []int{lost, i}, "an update is lost:\n  %s\n  %s, without having seen it", c.line(lost), c.line(i))
		v = c.accesses[lost].Base
	}
	c.made[w.Version], c.depth[w.Version], c.present = i, c.depth[w.Base]+1, w.Version
}

// line is an access in words.
func (c *fencing) line(i int) string {
	a := &c.accesses[i]
	what := "read"
	if a.Write {
		what = fmt.Sprintf("wrote version %d, made from %d,", a.Version, a.Base)
	}
	return fmt.Sprintf("client %d %s with token %d at %s", a.Client, what, a.Token, seconds(a.At))
}
