package sim

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"time"
)

// StateMachine is what a Group replicates. It must be deterministic: equal commands in equal order
// give equal results and checksums.
type StateMachine interface {
	Apply(command string) (result string)
	Checksum() uint64
}

// command is what a Group proposes for a client: the client, the number of its request, and the
// request. The first two identify a command however often it is sent.
type command struct {
	client, seq uint64
	text        string
}

func (c command) encode() string {
	b := binary.AppendUvarint(nil, c.client)
	b = binary.AppendUvarint(b, c.seq)
	return string(append(b, c.text...))
}

var errMalformed = errors.New("malformed command")

func decodeCommand(s string) (command, error) {
	b := []byte(s)
	client, n := binary.Uvarint(b)
	if n <= 0 {
		return command{}, errMalformed
	}
	seq, k := binary.Uvarint(b[n:])
	if k <= 0 {
		return command{}, errMalformed
	}
	return command{client, seq, s[n+k:]}, nil
}

// lastReply is the last command of a client and its result. A client has one command
// at a time, so one is enough to answer a duplicate.
type lastReply struct {
	seq    uint64
	result string
}

// replica applies chosen commands and answers the clients that sent it requests.
type replica struct {
	p       *member
	state   StateMachine
	applied uint64
	last    map[uint64]lastReply
	waiting map[uint64]Addr // client -> its address, while it waits for its latest command
}

func newReplica(p *member) *replica {
	return &replica{p: p, state: p.g.cfg.State(), last: map[uint64]lastReply{}, waiting: map[uint64]Addr{}}
}

// Answers of a replica to a client.
const (
	ansResult  = iota // the command was applied; the result follows
	ansRefused        // this node will not propose it: ask another one
)

func (r *replica) onRequest(now time.Time, from Addr, msg []byte) {
	c, err := decodeCommand(string(msg))
	if err != nil {
		return
	}
	if a := r.last[c.client]; a.seq >= c.seq {
		r.answer(from, c.seq, ansResult, a.result)
		return
	}
	if err := r.p.node.Propose(now, string(msg)); err != nil {
		r.answer(from, c.seq, ansRefused, err.Error())
		return
	}
	r.waiting[c.client] = from
}

func (r *replica) answer(to Addr, seq uint64, kind byte, text string) {
	b := binary.AppendUvarint(nil, seq)
	b = append(b, kind)
	r.p.env.Send(to, append(b, text...))
}

// apply applies the commands of a slot, each at most once.
func (r *replica) apply(ch Chosen) {
	commands := ch.Commands
	if commands == nil {
		commands = []string{ch.Value}
	}
	for _, text := range commands {
		c, err := decodeCommand(text)
		if err != nil || r.last[c.client].seq >= c.seq {
			continue
		}
		result := r.state.Apply(c.text)
		r.last[c.client] = lastReply{c.seq, result}
		if to, ok := r.waiting[c.client]; ok {
			delete(r.waiting, c.client)
			r.answer(to, c.seq, ansResult, result)
		}
	}
	r.applied = ch.Slot
	r.p.g.checksums.OnApplied(r.p.env.Self(), ch.Slot, r.state.Checksum())
}

// Caller is a client of a Group's state machine. It makes one command at a time, and sends it
// repeatedly, to one replica after the other, until it is answered.
type Caller struct {
	g      *Group
	rt     *Runtime
	id     uint64
	seq    uint64
	at     int           // the replica to ask first
	done   Signal        // of the present call
	result string        // of the present call
	Retry  time.Duration // how long to wait for an answer before asking another replica
}

// Caller returns a client on the machine of rt, and takes over the inbound messages of rt.
func (g *Group) Caller(rt *Runtime) *Caller {
	id := uint64(rt.e.Self())<<32 | uint64(uint32(rt.e.Life()))
	c := &Caller{g: g, rt: rt, id: id, Retry: 100 * time.Millisecond, at: int(rt.e.Self()) % len(g.members)}
	rt.Receive(c.receive)
	return c
}

// Call applies the command once and returns its result. It blocks. If ctx ends first, the command
// may have been applied, or may be applied later.
func (c *Caller) Call(ctx context.Context, text string) (string, error) {
	c.seq++
	c.done = c.rt.NewSignal()
	msg := []byte(command{c.id, c.seq, text}.encode())
	for {
		c.rt.Send(uint32(c.g.members[c.at]), msg)
		attempt, stop := c.rt.WithTimeout(ctx, c.Retry)
		_, err := c.rt.Wait(attempt, c.done)
		stop()
		if err == nil {
			c.rt.e.m.w.Result(c.rt.e.Self(), []byte(c.result))
			return c.result, nil
		}
		if ctx.Err() != nil {
			return "", fmt.Errorf("command %d: outcome unknown: %w", c.seq, cause(ctx))
		}
		c.at = (c.at + 1) % len(c.g.members)
	}
}

func (c *Caller) receive(_ uint32, msg []byte) {
	seq, n := binary.Uvarint(msg)
	if n <= 0 || len(msg) == n || seq != c.seq || c.done == nil {
		return
	}
	if msg[n] == ansResult {
		c.result = string(msg[n+1:])
		c.done.Fire()
	}
}
