package rowlock

import (
	"fmt"
	"time"

	"github.com/chubbycell/chubby/sim"
	"github.com/chubbycell/chubby/sim/lab"
)

// System is the card of this model.
func System() lab.System {
	return lab.System{
		Name:    "rowlock",
		Title:   "a row of a database table, INSERT ... ON CONFLICT DO NOTHING",
		Version: "the common recipe [known], on PostgreSQL 16 [doc]",
		Omits:   "SQL, isolation levels, other rows, vacuum, the election of a primary; clients know of a fail-over at once",
		Token:   "none; an epoch in the row, counted up by each take-over, as long as the row is never deleted [known]",
		Options: []lab.Option{
			{Name: "lease", Value: "none: people add a reaper, or take over what is older than S", Mark: known},
			{Name: "S", Value: "60 s in the breaks, take-over after 30 s in the matrix; people use 30 to 300 s", Mark: known},
			{Name: "retry", Value: "after 0.1 to 1 s", Mark: known},
			{Name: "acquired_at", Value: "now(), the database's wall clock", Mark: document},
			{Name: "replication", Value: "asynchronous", Mark: document},
		},
		Lease:   30 * time.Second,
		Default: onOne(lock{stale: 30 * time.Second}),
		Breaks:  []lab.Break{crash(), pause(), drift(), release(), failover(), ambiguous()},
	}
}

// The names of machines: of the only database, and of a primary and its replica.
const (
	one    = "database"
	first  = "database-1"
	second = "database-2"
)

// onOne puts one database into the world.
func onOne(l lock) func(b *lab.Bench) lab.Lock {
	return func(b *lab.Bench) lab.Lock {
		mine := l
		mine.server, mine.bench, mine.rows = one, b, map[string]*row{one: {}}
		b.Node(one, sim.MachineConfig{}, config{}.serve(mine.rows[one]))
		return &mine
	}
}

// onTwo puts a primary with a replica into the world.
func onTwo(l lock, waits bool) func(b *lab.Bench) lab.Lock {
	return func(b *lab.Bench) lab.Lock {
		mine := l
		mine.server, mine.bench, mine.rows = first, b, map[string]*row{first: {}, second: {}}
		b.Node(first, sim.MachineConfig{}, config{replica: second, waits: waits}.serve(mine.rows[first]))
		b.Node(second, sim.MachineConfig{}, config{}.serve(mine.rows[second]))
		return &mine
	}
}

// reaped is one database, and a job that deletes rows older than age, every second.
func reaped(l lock, age time.Duration) func(b *lab.Bench) lab.Lock {
	build := onOne(l)
	return func(b *lab.Bench) lab.Lock {
		mine := build(b)
		b.Node("reaper", sim.MachineConfig{}, func(n *lab.Node) {
			for {
				n.Sleep(time.Second)
				n.Call(one, fmt.Sprintf("REAP %d", age.Milliseconds()), patience)
			}
		})
		return mine
	}
}
