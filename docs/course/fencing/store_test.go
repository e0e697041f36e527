//go:build course

package fencing

import (
	"time"

	"github.com/chubbycell/chubby/sim"
)

// store is the storage server: one counter, which holders of the lock read and write.
type store struct {
	env     *sim.Env
	counter uint64
	writes  uint64 // that were done, for the checker
}

func (s *store) Start(env *sim.Env)            { s.env = env }
func (s *store) Wake(time.Time)                {}
func (s *store) sum() (counter, writes uint64) { return s.counter, s.writes }

// Receive answers a read with the counter, and a write when it is done; a request that is refused gets the word
// "refused" with its token.
//
// The hole is here.
func (s *store) Receive(_ time.Time, from sim.Addr, msg []byte) {
	switch w := read(msg); w.Kind {
	case "read":
		s.env.Send(from, word{"value", w.Token, s.counter}.bytes())
	case "write":
		s.counter = w.N
		s.writes++
		s.env.Send(from, word{"done", w.Token, w.N}.bytes())
	}
}
