package rowlock

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/chubbycell/chubby/sim/lab"
)

const patience = 500 * time.Millisecond // for an answer of the database

// lock is the client's part.
type lock struct {
	stale  time.Duration // age at which step 1 takes a row over; 0: it does not, and there is no epoch
	stamps bool          // acquired_at is the client's clock
	blind  bool          // the release names no holder
	looks  bool          // where no row was inserted, it looks whether the row is its own
	whole  bool          // a transaction at the data compares the holder beside the epoch

	server string // where clients connect
	bench  *lab.Bench
	rows   map[string]*row // of each database
	tries  int
}

// Acquire inserts the row, or takes it over.
func (l *lock) Acquire(n *lab.Node) lab.Grant {
	l.tries++
	g := lab.Grant{Name: fmt.Sprintf("%s-%d", n.Name(), l.tries)}
	for told := false; ; {
		answer, ok := n.Call(l.server, l.statement(n, g.Name), patience)
		epoch, held := strings.CutPrefix(answer, "1 ")
		if ok && held {
			if l.stale > 0 {
				g.Token, _ = strconv.ParseUint(epoch, 10, 64)
			}
			return g
		}
		if ok && l.looks && l.owner(n) == g.Name {
			n.Note("finds the row to be its own")
			return g
		}
		if !ok && !told {
			n.Note("has no answer, and tries again")
			told = true
		}
		n.Sleep(n.Draw("retry").Duration(100*time.Millisecond, time.Second))
	}
}

// statement is step 1.
func (l *lock) statement(n *lab.Node, name string) string {
	switch {
	case l.stale > 0:
		return fmt.Sprintf("UPSERT %s %d", name, l.stale.Milliseconds())
	case l.stamps:
		return fmt.Sprintf("INSERT %s %d", name, n.Wall().UnixNano())
	}
	return "INSERT " + name
}

// owner asks whose the row is.
func (l *lock) owner(n *lab.Node) string {
	answer, _ := n.Call(l.server, "SELECT", patience)
	return strings.TrimPrefix(answer, "1 ")
}

// Valid has nothing to go by: the program knows of no lease.
func (l *lock) Valid(*lab.Node, *lab.Grant) bool { return true }

// Release deletes the row, or sets its holder to NULL where the epoch is to stay.
func (l *lock) Release(n *lab.Node, g *lab.Grant) {
	statement := "DELETE"
	if l.stale > 0 {
		statement = "FREE"
	}
	if !l.blind {
		statement += " " + g.Name
	}
	n.Call(l.server, statement, patience)
}

// Owns is SELECT ... FOR UPDATE in the transaction that reads or writes the data.
func (l *lock) Owns(g *lab.Grant) (yes, up bool) {
	r := l.rows[l.server]
	yes = r.epoch == g.Token && (r.holder == g.Name || !l.whole && r.holder != "")
	return yes, l.bench.Machine(l.server).Up()
}
