package sim

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"
)

// StateMachine is what a Group replicates. It must be deterministic: equal commands in equal order
// give equal results and checksums.
type StateMachine interface {
	Apply(command string) (result string)
	Checksum() uint64
}

// command is what a Group proposes for a client: the client, the number of its request, and the
// request. The first two identify a command however often it is sent. As a value of the protocol it
// is "c1.2#5 request": readable in reports, and not changed by a Node that encodes its messages as
// JSON.
type command struct {
	client string // its address and its life
	seq    uint64
	text   string
}

func (c command) encode() string { return fmt.Sprintf("%s#%d %s", c.client, c.seq, c.text) }

var errMalformed = errors.New("malformed command")

func decodeCommand(s string) (command, error) {
	head, text, ok := strings.Cut(s, " ")
	client, number, numbered := strings.Cut(head, "#")
	seq, err := strconv.ParseUint(number, 10, 64)
	if !ok || !numbered || client == "" || err != nil {
		return command{}, errMalformed
	}
	return command{client, seq, text}, nil
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
	last    map[string]lastReply
	waiting map[string]Addr // client -> its address, while it waits for its latest command
}

func newReplica(p *member) *replica {
	return &replica{p: p, state: p.g.cfg.State(), last: map[string]lastReply{}, waiting: map[string]Addr{}}
}

// Answers of a replica to a client. As a message an answer is "#5 result ANSWER".
const (
	ansResult  = "result"  // the command was applied; the result follows
	ansRefused = "refused" // this node will not propose it: ask another one
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

func (r *replica) answer(to Addr, seq uint64, kind, text string) {
	r.p.env.Send(to, fmt.Appendf(nil, "#%d %s %s", seq, kind, text))
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
	id     string
	seq    uint64
	at     int           // the replica to ask first
	done   Signal        // of the present call
	result string        // of the present call
	Retry  time.Duration // how long to wait for an answer before asking another replica
}

// callsOfALife is the distance between the first numbers of two lives of a client. An answer names only the number of its
// call, and may reach the next life: no two lives use the same numbers.
const callsOfALife = 1_000_000

// Caller returns a client on the machine of rt, and takes over the inbound messages of rt.
func (g *Group) Caller(rt *Runtime) *Caller {
	id := fmt.Sprintf("%v.%d", rt.e.Self(), rt.e.Life())
	seq := uint64(rt.e.Life()-1) * callsOfALife
	c := &Caller{g: g, rt: rt, id: id, seq: seq, Retry: 100 * time.Millisecond, at: int(rt.e.Self()) % len(g.members)}
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
		c.rt.Env().Send(c.g.members[c.at], msg)
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

func (c *Caller) receive(_ Replica, msg []byte) {
	head, answer, _ := strings.Cut(string(msg), " ")
	kind, result, _ := strings.Cut(answer, " ")
	if head == fmt.Sprintf("#%d", c.seq) && kind == ansResult && c.done != nil {
		c.result = result
		c.done.Fire()
	}
}
