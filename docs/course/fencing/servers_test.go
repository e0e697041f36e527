//go:build course

package fencing

import (
	"encoding/json"
	"time"

	"github.com/chubbycell/chubby/sim"
)

// word is a message. Token is the number of the lock's acquisition, N the counter.
type word struct {
	Kind  string // ask, lock, free; read, value, write, done, refused
	Token uint64
	N     uint64 `json:",omitempty"`
}

func (w word) bytes() []byte { b, _ := json.Marshal(w); return b }
func read(b []byte) (w word) { _ = json.Unmarshal(b, &w); return w }

// Where the two servers are.
const (
	lockServer sim.Addr = 1
	storage    sim.Addr = 2
)

// locks is the lock server. A holder of whom nothing is heard for a second loses the lock.
type locks struct {
	env    *sim.Env
	token  uint64
	holder sim.Addr
	until  time.Time
}

func (s *locks) Start(env *sim.Env) { s.env = env }
func (s *locks) Wake(time.Time)     {}

func (s *locks) Receive(now time.Time, from sim.Addr, msg []byte) {
	switch w := read(msg); {
	case w.Kind == "ask" && (s.holder == 0 || now.After(s.until)):
		s.token, s.holder, s.until = s.token+1, from, now.Add(time.Second)
		s.env.Send(from, word{Kind: "lock", Token: s.token}.bytes())
	case w.Kind == "free" && from == s.holder && w.Token == s.token:
		s.holder = 0
	}
}
