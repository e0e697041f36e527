package adversary

import (
	"time"

	"github.com/chubbycell/chubby/replica/api"
	"github.com/chubbycell/chubby/sim"
	"github.com/chubbycell/chubby/sim/model"
	"github.com/chubbycell/chubby/sim/plan"
	"github.com/chubbycell/chubby/sim/workload"
)

// Deaf is a client that keeps to the protocol except for one thing: it asks for cacheable answers
// about the nodes that honest clients write, and never acknowledges that it dropped one from its
// cache. It opens sessions one after the other and keeps them alive. It keeps the last one alive
// while honest clients make their last calls, which may wait for it for one lease, and no longer.
type Deaf struct {
	Lost uint64 // sessions that it has learned are gone

	plan     *plan.Plan
	programs *workload.Programs
}

// NewDeaf returns a deaf client that has no machine yet.
func NewDeaf(p *plan.Plan, programs *workload.Programs) *Deaf {
	return &Deaf{plan: p, programs: programs}
}

// Join adds the machine of the deaf client to the world, after all other clients, including the
// hostile one.
func (d *Deaf) Join(w *sim.World, clock sim.ClockConfig) {
	addr := sim.FirstClient + sim.Addr(d.plan.Clients)
	if d.plan.Hostile.Gap > 0 {
		addr++
	}
	w.Add(sim.MachineConfig{
		Addr: addr, Process: func() sim.Process { return &deaf{of: d} }, Clock: clock,
	})
}

// deaf is the process of the deaf client. It sends raw requests, one after the other.
type deaf struct {
	of    *Deaf
	env   *sim.Env
	draws *sim.Draw

	master  sim.Addr
	epoch   api.Epoch
	nonce   api.Nonce
	session api.SessionID
	id      uint64
	seq     api.Seq
	keep    uint64    // the KeepAlive under way; 0: none
	kept    time.Time // when it was sent
	own     []api.Token
}

const (
	mostDeaf = 12              // handles that it opens at most
	keepWait = 2 * time.Second // after which it sends an unanswered KeepAlive again; the master may hold the first
	deafLag  = 8               // calls that may be under way
)

// Start begins a life.
func (h *deaf) Start(env *sim.Env) {
	h.env, h.draws, h.id = env, env.Draw("deaf"), firstTrick>>1
	h.reset()
	h.wakeNext(env.Now())
}

// reset forgets the session, so that the next request opens another one.
func (h *deaf) reset() {
	h.session, h.seq, h.keep, h.own = 0, 0, 0, nil
	h.nonce = api.Nonce{h.draws.Uint64() | 1, h.draws.Uint64()}
}

func (h *deaf) wakeNext(now time.Time) {
	h.env.WakeAt(now.Add(h.draws.Duration(0, 2*h.of.plan.Caches.Deaf)))
}

// Wake sends the requests that are due. Once honest clients make their last calls, it begins no
// other session. When they have made them, it stops, because the ephemeral nodes that it has open
// must disappear (S15).
func (h *deaf) Wake(now time.Time) {
	if p := h.of.programs; p.Finale && (h.session == 0 || p.Running == 0) { // each of its sessions delays a change by one lease
		return
	}
	switch {
	case h.session == 0:
		h.of.programs.Sessions++
		h.send(api.Request{Op: api.OpenSession{Nonce: h.nonce}})
	case h.epoch == 0:
	default:
		if h.keep == 0 || now.Sub(h.kept) > keepWait {
			h.keep, h.kept = h.send(api.Request{Session: h.session, Epoch: h.epoch, Op: api.KeepAlive{AckedEpoch: h.epoch}}), now
		}
		h.ask()
	}
	h.wakeNext(now)
}

// ask reads something, as if it kept a cache.
func (h *deaf) ask() {
	t, has := pick(h.draws, h.own)
	op := api.Op(api.GetContents{Handle: t})
	switch n := h.draws.Int(6); {
	case !has, n == 0 && len(h.own) < mostDeaf:
		paths := [...]string{workload.HotNode[1:], workload.HotNode[1:], model.Parent(workload.HotNode)[1:], "d0/f0", "d0/f1", "d/f0", "d0/r0", "acl/everybody"}
		op = api.Open{Path: paths[h.draws.Int(len(paths))], Rights: api.RightRead}
	case n == 1:
		op = api.GetStat{Handle: t}
	case n == 2:
		op = api.ReadDir{Handle: t}
	case n == 3 && len(h.own) >= mostDeaf:
		op, h.own = api.CloseHandle{Handle: h.own[0]}, h.own[1:]
	}
	h.seq++
	h.send(api.Request{Session: h.session, Seq: h.seq, AckedThrough: max(h.seq, deafLag+1) - deafLag - 1, Epoch: h.epoch, MayCache: true, Op: op})
}

func (h *deaf) send(q api.Request) uint64 {
	h.id++
	q.ID = h.id
	to := h.master
	if to == 0 || h.draws.Chance(1, 10) {
		to = sim.Addr(1 + h.draws.Int(h.of.plan.Replicas))
	}
	h.env.Send(to, api.AppendRequest(nil, q))
	return q.ID
}

// Receive handles an answer.
func (h *deaf) Receive(_ time.Time, _ sim.Addr, msg []byte) {
	p, err := api.DecodeReply(msg)
	if err != nil {
		return
	}
	h.epoch = max(h.epoch, p.Epoch)
	if p.Master != 0 {
		h.master = sim.Addr(p.Master)
	}
	switch {
	case p.Session != h.session:
	case p.Code == api.NoSession && h.session != 0:
		h.of.Lost++
		h.reset()
	case p.Code != api.OK:
	case h.session == 0 && p.Result.Session != 0:
		h.session = p.Result.Session
	case p.ID == h.keep:
		h.keep = 0
	default:
		if o, ok := p.Detail.(api.Opened); ok && len(h.own) < mostDeaf {
			h.own = append(h.own, o.Token)
		}
	}
}
