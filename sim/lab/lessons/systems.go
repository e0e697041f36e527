package lessons

import (
	"github.com/chubbycell/chubby/sim/lab"
	"github.com/chubbycell/chubby/sim/lab/chubby"
	"github.com/chubbycell/chubby/sim/lab/postgres"
	"github.com/chubbycell/chubby/sim/lab/setnx"
	"github.com/chubbycell/chubby/sim/lab/setpx"
	"github.com/chubbycell/chubby/sim/lab/zookeeper"
)

// The lock systems that lessons use, with the options of their cards.
var (
	redis     = setpx.System().Default // SET NX PX, lease 30 s without renewal, INCR as token
	forever   = setnx.System().Default // SETNX, no lease
	cell      = chubby.System().Default
	zoo       = zookeeper.System().Default
	pgbouncer = pooled()
)

// pooled is PostgreSQL behind PgBouncer with pool_mode transaction.
func pooled() func(b *lab.Bench) lab.Lock {
	s := postgres.System()
	b, found := s.Break("P1")
	if !found {
		panic("postgres has no break P1")
	}
	return b.Faulty[0].Build
}
