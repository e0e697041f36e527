package master_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/chubbycell/chubby/internal/draw"
	"github.com/chubbycell/chubby/replica/api"
	"github.com/chubbycell/chubby/replica/master"
	"github.com/chubbycell/chubby/replica/master/handle"
	"github.com/chubbycell/chubby/replica/master/lockwait"
	"github.com/chubbycell/chubby/replica/state/command"
	"github.com/chubbycell/chubby/replica/state/rows"
	"github.com/chubbycell/chubby/replica/state/tree"
)

// odd is a master, and a client that sends any request under any number, with tokens that it was given in
// any session.
type odd struct {
	*rig
	draws      draw.Stream
	log        []master.Proposal // not decided yet
	round      uint64
	nonce      uint64
	seen       api.Seq
	sessions   []api.SessionID
	tokens     []api.Token
	sequencers []string
	held       []api.Acquisition
	answered   map[api.Code]int
}

// No request that can be sent makes a master fail.
func TestNoRequestBreaksAMaster(t *testing.T) {
	answered := map[api.Code]int{}
	for seed := range uint64(120) {
		cfg := plain()
		cfg.Secret, cfg.Founding = [32]byte{1}, tree.OpenFounding()
		cfg.MaxPending, cfg.NodeOps.SweepAfter = 12, time.Second
		cfg.NodeOps.Handles, cfg.NodeOps.Queues = handle.Limits{PerSession: 4, Total: 9, Closed: 3}, lockwait.Limits{PerLock: 3, Total: 5}
		o := &odd{rig: newRigWith(t, cfg), draws: draw.New(seed).Stream("odd", 0), sequencers: []string{"none"}, tokens: []api.Token{"none"}, answered: answered}
		o.lead()
		o.opens("bob") // so that ann is not the only principal
		for range 400 {
			o.act()
			o.m.Verify(o.at())
		}
	}
	for _, code := range []api.Code{api.OK, api.Later, api.Stale, api.Parked, api.Cancelled, api.BadHandle, api.Crowded, api.NotHeld} {
		require.Contains(t, answered, code)
	}
}

// lead makes this replica the master of the next epoch.
func (o *odd) lead() {
	o.round++
	o.m.Tenure(master.Tenure{Leader: 1, Ballot: ballot(o.round), Mine: true})
	o.log = o.log[:0:0]
	for o.hear(); o.m.Status().State != master.Serving; {
		o.decide()
	}
	for len(o.sessions) < 2 {
		o.sessions = append(o.sessions, o.opens("ann"))
	}
}

func (o *odd) opens(who api.Principal) api.SessionID {
	o.nonce++
	return o.done(command.Append(nil, command.Call{Guard: o.m.Status().Epoch, Op: api.OpenSession{Nonce: api.Nonce{o.nonce}}, Principal: who})).Result.Session
}

func (o *odd) done(b []byte) command.Applied {
	tx := o.db.Begin()
	a := command.Apply(tx, string(b))
	tx.Commit()
	o.m.Applied(o.at(), a)
	o.hear()
	return a
}

// hear carries out the output of the master, and notes what the client is told.
func (o *odd) hear() {
	out := o.m.TakeOutput(o.now, 3)
	o.log = append(o.log, out.Propose...)
	for _, p := range out.Replies {
		o.answered[p.Code]++
		switch d := p.Detail.(type) {
		case api.Opened:
			o.tokens = append(o.tokens, d.Token)
		case api.Held:
			o.held = append(o.held, d.Acquisition)
		case api.Sequenced:
			o.sequencers = append(o.sequencers, d.Sequencer.Encode())
		}
	}
}

// decide makes the log take the next command, or refuse it.
func (o *odd) decide() {
	if len(o.log) == 0 {
		return
	}
	p := o.log[0]
	o.log = o.log[1:]
	if o.m.Status().State == master.Serving && o.draws.Int(9) == 0 {
		o.m.Refused(o.at(), p, api.Busy)
		o.hear()
		return
	}
	o.done(p.Command)
	for i, s := range o.sessions {
		if _, alive := rows.GetSession(o.db, s); !alive {
			o.sessions[i] = o.opens("ann")
		}
	}
}

func (o *odd) act() {
	switch o.draws.Int(24) {
	case 0:
		if o.lease = o.now.Add(time.Hour); o.draws.Int(3) == 0 {
			o.lease = time.Time{}
		}
	case 1:
		o.now = o.now.Add(time.Duration(o.draws.Int(900)) * time.Millisecond)
		o.m.Advance(o.at())
		o.hear()
	case 2:
		for range o.draws.Int(4) {
			o.decide()
		}
		if o.draws.Int(3) == 0 {
			o.lead()
		}
	case 3, 4, 5, 6, 7, 8:
		o.decide()
	default:
		if o.draws.Chance(1, 9) {
			o.seen += api.Seq(o.draws.Int(4))
		}
		q := api.Request{Session: pick(o, o.sessions), Seq: o.seen + api.Seq(1+o.draws.Int(8)), AckedThrough: o.seen, Epoch: o.m.Status().Epoch, Op: o.op()}
		if _, keeps := q.Op.(api.KeepAlive); keeps {
			q.Seq = 0
		}
		o.m.Request(o.at(), 9, "ann", q)
		o.hear()
	}
}

func (o *odd) op() api.Op {
	t := pick(o, o.tokens[max(0, len(o.tokens)-6):])
	switch o.draws.Int(22) {
	case 0:
		return api.Put{Key: "k", Value: "v"}
	case 1:
		return api.Get{Key: "k"}
	case 2:
		return api.KeepAlive{AckedEpoch: api.Epoch(o.round), Now: true, Tokens: []api.Token{t}}
	case 3:
		return api.SetContents{Handle: t, Contents: "x"}
	case 4:
		return api.GetStat{Handle: t}
	case 5:
		return api.DeleteNode{Handle: t}
	case 6:
		return api.Poison{Handle: t}
	case 7:
		return api.CloseHandle{Handle: t}
	case 8:
		return api.GetSequencer{Handle: t}
	case 9:
		return api.SetSequencer{Handle: t, Sequencer: pick(o, o.sequencers)}
	case 10:
		return api.CheckSequencer{Handle: t, Sequencer: pick(o, o.sequencers)}
	case 11, 12:
		return api.Release{Handle: t, Acquisition: pick(o, append(o.held, 1))}
	case 13, 14:
		return api.CancelAcquire{Handle: t, Call: o.seen + api.Seq(o.draws.Int(8))}
	case 15, 16, 17, 18:
		return api.Acquire{Handle: t, Mode: pick(o, []api.Mode{api.Shared, api.Exclusive}), Wait: o.draws.Int(2) == 0}
	case 19:
		if o.draws.Int(4) == 0 {
			return api.EndSession{}
		}
	}
	op := api.Open{Path: pick(o, []string{"a", "b", "a/c", ""}), Rights: api.RightRead | api.RightWrite, Delay: api.DelayOf(time.Second)}
	if op.Create = pick(o, []api.Creation{api.CreateNever, api.CreateMay, api.CreateMay, api.CreateMust}); op.Create != api.CreateNever {
		op.Kind, op.Ephemeral = pick(o, []api.NodeKind{api.File, api.Directory}), o.draws.Int(2) == 0
	}
	if o.draws.Int(4) == 0 {
		op.Dir = t
	}
	return op
}

func pick[T any](o *odd, all []T) T { return all[o.draws.Int(len(all))] }
