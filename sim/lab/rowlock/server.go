package rowlock

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/chubbycell/chubby/sim/lab"
)

// config is what an operator sets for a database.
type config struct {
	replica string // that is sent each change; "": none
	waits   bool   // for the replica, before a change is answered (synchronous_commit)
}

// row is the row of the lock.
type row struct {
	holder string // "": there is no row, or its holder is NULL
	epoch  uint64
	at     time.Time // acquired_at
}

// database is one life of a database. The row is on its disk, and outlives a power cut.
type database struct {
	config
	*lab.Node
	row     *row
	changes int                 // that the replica was sent
	pending map[int]lab.Request // changes that wait for the replica
	answers map[int]string      // to them
}

// serve is the program of a database that keeps its row in r.
func (c config) serve(r *row) func(n *lab.Node) {
	return func(n *lab.Node) {
		d := &database{config: c, Node: n, row: r, pending: map[int]lab.Request{}, answers: map[int]string{}}
		n.Serve(d.run)
		n.OnNews(d.replication)
	}
}

// run executes a statement. ms is an age, and at a time in nanoseconds; what is answered is
// the number of rows, and the epoch or the holder behind it.
func (d *database) run(r lab.Request) {
	f := append(strings.Fields(r.Text), "")
	switch free := d.row.holder == ""; {
	case f[0] == "SELECT": // SELECT holder
		d.Answer(r, "1 "+d.row.holder)
	case f[0] == "INSERT" && free, // INSERT holder [at]
		f[0] == "UPSERT" && (free || d.older(f[2])): // UPSERT holder ms
		d.take(r, f)
	case f[0] == "DELETE" && !free && (f[1] == "" || f[1] == d.row.holder): // DELETE [holder]
		d.change(r, row{}, "1")
	case f[0] == "FREE" && !free && (f[1] == "" || f[1] == d.row.holder): // FREE [holder]: holder = NULL
		d.change(r, row{epoch: d.row.epoch}, "1")
	case f[0] == "REAP" && !free && d.older(f[1]): // REAP ms
		d.Note("deletes the row of %s for its age", d.row.holder)
		d.change(r, row{}, "1")
	default:
		d.Answer(r, "0")
	}
}

// take makes the row that of a new holder. acquired_at is now() of this database, unless the
// client says so.
func (d *database) take(r lab.Request, f []string) {
	to := row{holder: f[1], epoch: d.row.epoch + 1, at: d.Wall()}
	if at, err := strconv.ParseInt(f[2], 10, 64); f[0] == "INSERT" && err == nil {
		to.at = time.Unix(0, at)
	}
	if d.row.holder != "" {
		d.Note("gives %s the row of %s for its age", to.holder, d.row.holder)
	}
	d.change(r, to, fmt.Sprintf("1 %d", to.epoch))
}

// older reports that the row is older than so many milliseconds, by this database's clock.
func (d *database) older(ms string) bool {
	age, _ := strconv.Atoi(ms)
	return d.Wall().Sub(d.row.at) > time.Duration(age)*time.Millisecond
}

// change commits the row, and answers.
func (d *database) change(r lab.Request, to row, answer string) {
	*d.row = to
	if d.replica == "" {
		d.Answer(r, answer)
		return
	}
	d.changes++
	if d.waits {
		d.pending[d.changes], d.answers[d.changes] = r, answer
	} else {
		d.Answer(r, answer)
	}
	d.Tell(d.replica, fmt.Sprintf("%d %q %d %d", d.changes, to.holder, to.epoch, to.at.UnixNano()))
}

// replication is a row from the primary, or the acknowledgement of the replica.
func (d *database) replication(from, text string) {
	if d.replica != "" {
		if number, _ := strconv.Atoi(text); d.waits {
			d.Answer(d.pending[number], d.answers[number])
			delete(d.pending, number)
			delete(d.answers, number)
		}
		return
	}
	var number int
	var at int64
	if _, err := fmt.Sscanf(text, "%d %q %d %d", &number, &d.row.holder, &d.row.epoch, &at); err != nil {
		panic(err)
	}
	d.row.at = time.Unix(0, at)
	d.Tell(from, strconv.Itoa(number))
}
