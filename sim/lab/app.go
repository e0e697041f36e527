package lab

import (
	"errors"
	"fmt"
	"time"

	"github.com/chubbycell/chubby/sim"
	"github.com/chubbycell/chubby/sim/resource"
)

// App is a client whose program is written out: an application that uses a lock, a resource and
// other machines (Node.Call). Its methods run on the coroutine of its program and may block. At the
// steps of a Job, which they come to by themselves, a script may strike.
type App struct{ *Node }

// Held is a lock in the hands of an App, from the call that returned it to Release or End.
type Held struct {
	Grant
	app  *App
	hold *Hold
}

// Value is what an App has read from the resource.
type Value struct {
	Count uint64
	last  resource.Tell
}

// Next is one higher, made from the value.
func (v Value) Next() Value { return Value{v.Count + 1, v.last} }

// The errors of an App.
var (
	ErrNotAcquired = errors.New("the lock was not acquired in time") // TryLock: it may still be queued for a while
	ErrRefused     = errors.New("the resource refused the request")  // Read, Write
)

// Timed is a Lock whose client knows by its own clock for how long its grant is good.
type Timed interface {
	// Left is how long the grant is still good, on the client's clock; below 0: it is over.
	Left(n *Node, g *Grant) time.Duration
}

// App puts a client machine into the world whose program begins at a true time. The run ends when
// all programs and jobs are over.
func (b *Bench) App(name string, start time.Duration, program func(a *App)) {
	b.clients = append(b.clients, name)
	b.left++
	addr := sim.FirstClient + sim.Addr(len(b.clients)-1)
	b.add(name, sim.MachineConfig{Addr: addr}, func(n *Node) {
		if n.rt.Env().Life() > 1 {
			return // what it did in its first life is lost
		}
		if d := start - b.Now(); d > 0 {
			n.Sleep(d)
		}
		program(&App{n})
		b.ended()
	})
}

// Lock waits for the lock, for ever.
func (a *App) Lock() *Held {
	wait := a.bench.sees.waits.begin(a.name, a.bench.Now())
	g := a.bench.lock.Acquire(a.Node)
	wait.end(a.bench.Now())
	return a.Take(g)
}

// TryLock waits for the lock for so long on the machine's clock. A grant that comes later is given
// back.
func (a *App) TryLock(patience time.Duration) (*Held, error) {
	var g Grant
	var got, late bool
	wait, done := a.bench.sees.waits.begin(a.name, a.bench.Now()), a.NewSignal()
	a.Go("acquire", func() {
		g = a.bench.lock.Acquire(a.Node)
		if late {
			a.bench.lock.Release(a.Node, &g)
			return
		}
		got = true
		done.Fire()
	})
	a.Await(done, patience)
	if !got {
		late = true
		a.bench.sees.waits.drop(a.name)
		return nil, ErrNotAcquired
	}
	wait.end(a.bench.Now())
	return a.Take(g), nil
}

// Take says that the program acts as a holder from now on, by a grant that it made itself.
func (a *App) Take(g Grant) *Held {
	h := &Held{Grant: g, app: a, hold: a.bench.sees.holds.begin(a.name, g.Token, a.bench.Now())}
	a.bench.sees.herd.granted(a.bench.Now())
	a.Note("holds the lock%s", tokenText(g.Token))
	a.step(Granted)
	return h
}

// Valid says whether the client's library takes the grant for valid. It sends nothing.
func (h *Held) Valid() bool {
	valid := h.app.bench.lock.Valid(h.app.Node, &h.Grant)
	if valid {
		h.app.step(Checked)
	}
	return valid
}

// Left is for how long the grant is still good, where the Lock is Timed; else it panics.
func (h *Held) Left() time.Duration {
	l, timed := h.app.bench.lock.(Timed)
	if !timed {
		panic(fmt.Sprintf("variant %q: its Lock does not know how long a grant is good (Timed)", h.app.bench.variant.Name))
	}
	return l.Left(h.app.Node, &h.Grant)
}

// End says that the program no longer acts as a holder, and sends nothing.
func (h *Held) End() { h.hold.end(h.app.bench.Now()) }

// Release ends it and gives the lock back.
func (h *Held) Release() {
	h.End()
	b := h.app.bench
	b.sees.herd.released(b.Now(), b.sees.waits)
	b.lock.Release(h.app.Node, &h.Grant)
}

// Read reads the resource. h is the lock whose token the request carries; nil: none.
func (a *App) Read(h *Held) (Value, error) {
	t, ok := a.request(resource.Ask{}, h)
	if !ok {
		return Value{}, ErrRefused
	}
	a.step(Read)
	return Value{t.Value, t}, nil
}

// Write writes a value that was made from one that was read, under the lock h as Read does.
func (a *App) Write(h *Held, v Value) error {
	a.step(Checked)
	if _, ok := a.request(a.writing(v), h); !ok {
		return ErrRefused
	}
	a.step(Written)
	return nil
}

// writing is the request to write a value.
func (a *App) writing(v Value) resource.Ask {
	return resource.Ask{Write: true, Base: v.last.Version, Version: a.bench.number(), Value: v.Count}
}

// step is a moment of a client at which a script may strike. A pause that begins in it is
// over when it returns.
func (a *App) step(s Step) {
	a.bench.comes(a.name, s)
	a.Sleep(breath)
}

// repeat is when a client asks the resource again. A request that comes twice is decided once.
const repeat = 5 * time.Second

// request asks the resource and waits for its answer, for ever.
func (a *App) request(q resource.Ask, h *Held) (resource.Tell, bool) {
	q.ID = a.bench.number()
	if h == nil {
		h = &Held{}
	}
	q.Sequencer = sequencer(h.Token)
	a.bench.store.expect(q.ID, h.Grant, h.hold)
	w := &waiting{done: a.rt.NewSignal()}
	a.tells[q.ID] = w
	defer delete(a.tells, q.ID)
	for {
		a.rt.Env().Send(a.bench.address(Resource), q.Encode())
		if q.Write {
			a.bench.comes(a.name, Sent)
		}
		if a.wait(w, repeat) {
			return w.tell, w.tell.Accepted
		}
	}
}
