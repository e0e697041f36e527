package postgres

import (
	"github.com/chubbycell/chubby/sim"
	"github.com/chubbycell/chubby/sim/lab"
)

// The names of machines.
const (
	one    = "postgres"
	bouncy = "pgbouncer"
	first  = "postgres-1"
	second = "postgres-2"
)

// direct is one instance, to which clients connect.
func direct(l lock) func(b *lab.Bench) lab.Lock {
	return func(b *lab.Bench) lab.Lock {
		b.Node(one, sim.MachineConfig{}, config{}.serve())
		mine := l
		mine.server = one
		return &mine
	}
}

// behind is one instance with a pooler before it.
func behind(p pooling, l lock) func(b *lab.Bench) lab.Lock {
	return func(b *lab.Bench) lab.Lock {
		b.Node(one, sim.MachineConfig{}, config{}.serve())
		b.Node(bouncy, sim.MachineConfig{}, p.serve)
		mine := l
		mine.server, mine.pooled = bouncy, true
		return &mine
	}
}

// replicated is a primary with a standby.
func replicated(l lock, waits bool) func(b *lab.Bench) lab.Lock {
	return func(b *lab.Bench) lab.Lock {
		b.Node(first, sim.MachineConfig{}, config{standby: second, waits: waits}.serve())
		b.Node(second, sim.MachineConfig{}, config{}.serve())
		mine := l
		mine.server = first
		return &mine
	}
}

// System is the card of this model.
func System() lab.System {
	return lab.System{
		Name:    "postgres",
		Title:   "PostgreSQL advisory locks, direct and behind PgBouncer",
		Version: "PostgreSQL 16 [doc], PgBouncer 1.22 [doc], issues authentik #23876 and pgdog #1407 [iss]",
		Omits:   "SQL, tables but one counter, deadlocks, time-outs, the write-ahead log (a standby is sent the counter)",
		Token:   "none; an epoch in a table, counted up under the lock [derived]",
		Options: []lab.Option{
			{Name: "lease", Value: "none: the lock is free when its backend exits", Mark: document},
			{Name: "death of a connection", Value: "noticed after 5 s here; tcp_keepalives_idle is 2 h", Mark: document},
			{Name: "pool_mode", Value: "session by default; transaction is common", Mark: document},
			{Name: "server_reset_query", Value: "DISCARD ALL, in session mode only", Mark: document},
			{Name: "choice of backend", Value: "the one that came back last", Mark: document},
		},
		Default: direct(lock{token: true}),
		Breaks:  []lab.Break{twice(), leak(), death(), cut(), standby(), hash()},
	}
}
