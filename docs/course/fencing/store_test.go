//go:build course

package fencing

import (
	"time"

	"github.com/chubbycell/chubby/sim"
)

// store is the storage server, which holders of the lock write to.
type store struct {
	env    *sim.Env
	tokens []uint64 // of the writes that were done, for the checker
}

func (s *store) Start(env *sim.Env) { s.env = env }
func (s *store) Wake(time.Time)     {}

// The hole is here.
func (s *store) Receive(_ time.Time, from sim.Addr, msg []byte) {
	w := read(msg)
	if w.Kind != "write" {
		return
	}
	s.tokens = append(s.tokens, w.Token)
	s.env.Send(from, word{"done", w.Token}.bytes())
}
