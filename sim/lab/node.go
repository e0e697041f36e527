package lab

import (
	"context"
	"encoding/hex"
	"time"

	library "github.com/chubbycell/chubby/client"
	"github.com/chubbycell/chubby/sim"
	"github.com/chubbycell/chubby/sim/resource"
	"github.com/chubbycell/chubby/wal/vfs"
)

// Node is what a program on a machine has, for one life of that machine: its clock, its disk,
// and calls to other machines, which have names. Programs of services and of clients use the
// same Node.
type Node struct {
	name  string
	bench *Bench
	rt    *sim.Runtime
	calls map[uint64]*waiting
	serve func(Request)
	news  func(from, text string)
	tells map[uint64]*waiting // requests to the resource
	asked func(from sim.Addr, q resource.Ask)
	draws map[string]*sim.Draw
	alien func(from sim.Replica, data []byte) // what Processes send
}

// Request is a call of another machine, to be answered by Node.Answer once or never.
type Request struct {
	From string // name of the machine
	Text string
	call uint64
}

// waiting is a call without its answer.
type waiting struct {
	done   sim.Signal
	answer string
	tell   resource.Tell
}

func newNode(b *Bench, name string, rt *sim.Runtime) *Node {
	n := &Node{name: name, bench: b, rt: rt, calls: map[uint64]*waiting{}, tells: map[uint64]*waiting{}, draws: map[string]*sim.Draw{}}
	rt.Receive(n.receive)
	return n
}

// Name is the name of the machine.
func (n *Node) Name() string { return n.name }

// Serve has f called for each request. f must not block: what blocks goes on a coroutine (Go).
func (n *Node) Serve(f func(r Request)) { n.serve = f }

// OnNews has f called for what other machines sent by Tell. f must not block.
func (n *Node) OnNews(f func(from, text string)) { n.news = f }

// Answer answers a request.
func (n *Node) Answer(r Request, text string) {
	n.send(r.From, message{kindAnswer, r.call, text})
}

// Tell sends text to another machine, which answers nothing.
func (n *Node) Tell(to, text string) { n.send(to, message{kindNews, 0, text}) }

// Call sends a request and blocks until its answer, or until patience has passed on the clock of
// this machine: then ok is false, and the request may have been executed or not.
func (n *Node) Call(to, text string, patience time.Duration) (answer string, ok bool) {
	id := n.bench.number()
	w := &waiting{done: n.rt.NewSignal()}
	n.calls[id] = w
	n.send(to, message{kindRequest, id, text})
	ok = n.wait(w, patience)
	delete(n.calls, id)
	return w.answer, ok
}

func (n *Node) wait(w *waiting, patience time.Duration) bool {
	ctx, cancel := n.rt.WithTimeout(context.Background(), patience)
	defer cancel()
	_, err := n.rt.Wait(ctx, w.done)
	return err == nil
}

// Runtime is what package client runs on, for systems whose machines are Processes. What they
// send goes to the latest one that was asked for.
func (n *Node) Runtime() library.Runtime { return &runtime{n.rt, n} }

// runtime shares the inbound messages of its machine with the Node.
type runtime struct {
	*sim.Runtime
	node *Node
}

func (r *runtime) Send(to sim.Replica, data []byte) {
	r.node.bench.passes(r.node.name, r.node.bench.nameOf(sim.Addr(to.ID)))
	r.Runtime.Send(to, data)
}

func (r *runtime) Receive(f func(from sim.Replica, data []byte)) { r.node.alien = f }

// Reaches says whether the kernel of another machine would answer a probe of a connection: the
// machine has power and no Cut is in force between the two. Its program may be paused. A connection
// that is silent for a while is closed by what this says.
func (n *Node) Reaches(name string) bool {
	return n.bench.Machine(name).Up() && n.bench.cuts[[2]string{n.name, name}] == 0
}

// NewSignal returns a signal that has not fired.
func (n *Node) NewSignal() sim.Signal { return n.rt.NewSignal() }

// Await blocks until the signal has fired, or patience has passed on the clock of this machine.
func (n *Node) Await(s sim.Signal, patience time.Duration) (fired bool) {
	return n.wait(&waiting{done: s}, patience)
}

// Now reads the monotonic clock of the machine.
func (n *Node) Now() time.Time { return n.rt.Now() }

// Wall reads its wall clock, which steps.
func (n *Node) Wall() time.Time { return n.rt.Env().Wall() }

// Sleep blocks until d has passed on the clock of this machine.
func (n *Node) Sleep(d time.Duration) { n.rt.Env().Sleep(d) }

// After calls f when d has passed on the clock of this machine. f must not block.
func (n *Node) After(d time.Duration, f func()) (stop func()) { return n.rt.AfterFunc(d, f) }

// Go starts f on a coroutine, which may block.
func (n *Node) Go(name string, f func()) { n.rt.Go(name, f) }

// FS is the disk of the machine; its calls block.
func (n *Node) FS() vfs.FS { return n.rt.Env().FS() }

// Draw is the draws of this life at a site.
func (n *Node) Draw(site string) *sim.Draw {
	d := n.draws[site]
	if d == nil {
		d = n.rt.Env().Draw("lab." + site)
		n.draws[site] = d
	}
	return d
}

// Random is so many random bytes in hexadecimal, drawn at a site.
func (n *Node) Random(site string, bytes int) string {
	b := make([]byte, bytes)
	for i := range b {
		b[i] = byte(n.Draw(site).Uint64())
	}
	return hex.EncodeToString(b)
}

// Note puts a line about this machine into the time line. Write what a reader of the story has to
// know, and no more: there is room for about a dozen lines.
func (n *Node) Note(format string, args ...any) {
	if !n.rt.Env().Dead() {
		n.bench.Say(n.name, format, args...)
	}
}

func (n *Node) send(to string, m message) {
	n.bench.passes(n.name, to)
	n.rt.Env().Send(n.bench.address(to), m.encode())
}

// receive takes what comes over a link.
func (n *Node) receive(sender sim.Replica, data []byte) {
	from := sim.Addr(sender.ID)
	if n.bench.foreign[from] {
		n.bench.passes(n.bench.nameOf(from), n.name)
		if n.alien != nil {
			n.alien(sender, data)
		}
		return
	}
	switch data[0] {
	case 'A': // to the resource
		n.asked(from, resource.DecodeAsk(data))
		return
	case 'T': // from it
		t := resource.DecodeTell(data)
		if w := n.tells[t.ID]; w != nil {
			w.tell = t
			w.done.Fire()
		}
		return
	}
	m, who := decode(data), n.bench.nameOf(from)
	switch {
	case m.kind == kindRequest && n.serve != nil:
		n.serve(Request{From: who, Text: m.text, call: m.call})
	case m.kind == kindAnswer && n.calls[m.call] != nil:
		n.calls[m.call].answer = m.text
		n.calls[m.call].done.Fire()
	case m.kind == kindNews && n.news != nil:
		n.news(who, m.text)
	}
}
