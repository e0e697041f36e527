package session_test

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/chubbycell/chubby/client/session"
	"github.com/chubbycell/chubby/replica/api"
)

// player drives a machine by lines of text, and prints what it does:
//
//	open                    ask for the session
//	start NAME OP           begin a call: put, get, open, ephemeral (an Open), acquire H,
//	                        try H, release H, free H (CloseHandle), attach H
//	cancel NAME, close NAME
//	tick D, sleep           time passes; to the machine's own wake
//	lost N                  the transport says that replica N is unreachable
//	answer X CODE [k=v]     an answer arrives to sending X: #N, or the newest one of a
//	                        call, of the KeepAlive (keep), or of the opener, of a Close
//	                        or of a CancelAcquire or CloseHandle (session, end, cancel,
//	                        free). e: of epoch; m: master; lease; failover=yes; held:
//	                        acquisition; token; ephemeral=yes; from: the replica
//
// Sendings are numbered, instants are counted from the beginning. Sessions are 7.
type player struct {
	t     testing.TB
	m     *session.Machine
	now   time.Time
	begin time.Time
	wake  time.Time
	sent  []session.Envelope
	names map[session.Token]string
	lease string

	launched map[api.Seq]string
}

// newPlayer makes a machine that draws zeroes: its pauses are the longest possible, and it
// tries replicas in the order 2, 3, 1.
func newPlayer(t testing.TB, change func(*session.Config)) *player {
	cfg := session.Config{Replicas: []uint32{1, 2, 3}, Draw: zeroes}
	if change != nil {
		change(&cfg)
	}
	m, err := session.New(cfg)
	require.NoError(t, err)
	begin := time.Unix(1000, 0)
	return &player{t: t, m: m, now: begin, begin: begin, names: map[session.Token]string{}, launched: map[api.Seq]string{}, lease: "no lease"}
}

// do plays one line and prints its result.
func (p *player) do(line string) []string {
	w := strings.Fields(line)
	switch w[0] {
	case "open":
		p.m.Open(p.now)
	case "start":
		p.name(w[1], p.m.Start(p.now, p.op(w[2:])))
	case "cancel":
		p.m.Cancel(p.now, p.token(w[1]))
	case "close":
		p.name(w[1], p.m.Close(p.now))
	case "tick":
		d, err := time.ParseDuration(w[1])
		require.NoError(p.t, err)
		p.now = p.now.Add(d)
		p.m.Advance(p.now)
	case "sleep":
		require.True(p.t, p.wake.After(p.now), "wake %v, now %v", p.wake, p.now)
		p.now = p.wake
		p.m.Advance(p.now)
	case "lost":
		replica, err := strconv.ParseUint(w[1], 10, 32)
		require.NoError(p.t, err)
		p.m.OnUnreachable(p.now, uint32(replica))
	case "answer":
		p.answer(w[1:])
	default:
		p.t.Fatalf("what is %q?", line)
	}
	return p.look()
}

func (p *player) name(name string, t session.Token) {
	require.NotContains(p.t, p.names, t)
	p.names[t] = name
}

func (p *player) token(name string) session.Token {
	for t, n := range p.names {
		if n == name {
			return t
		}
	}
	p.t.Fatalf("no call %s", name)
	return 0
}

func (p *player) op(w []string) api.Op {
	handle := api.Token("")
	if len(w) > 1 {
		handle = api.Token(w[1])
	}
	switch w[0] {
	case "put":
		return put
	case "get":
		return get
	case "open":
		return api.Open{Path: "f", Rights: api.RightWrite}
	case "ephemeral":
		return api.Open{Path: "e", Rights: api.RightWrite, Create: api.CreateMay, Kind: api.File, Ephemeral: true}
	case "acquire":
		return api.Acquire{Handle: handle, Mode: api.Exclusive, Wait: true}
	case "try":
		return api.Acquire{Handle: handle, Mode: api.Exclusive}
	case "release":
		return api.Release{Handle: handle, Acquisition: 5}
	case "free":
		return api.CloseHandle{Handle: handle}
	case "attach":
		s := api.Sequencer{Node: api.Ref{Instance: 1}, Mode: api.Shared, Gen: 1}
		return api.SetSequencer{Handle: handle, Sequencer: s.Encode()}
	}
	p.t.Fatalf("what op is %q?", w)
	return nil
}

var codes = func() map[string]api.Code {
	all := map[string]api.Code{}
	for c := api.Code(1); c.Valid(); c++ {
		all[c.String()] = c
	}
	return all
}()

// sending returns the sending that an answer names.
func (p *player) sending(x string) session.Envelope {
	if number, ok := strings.CutPrefix(x, "#"); ok {
		n, err := strconv.Atoi(number)
		require.NoError(p.t, err)
		return p.sent[n-1]
	}
	for _, e := range slices.Backward(p.sent) {
		named := p.launched[e.Request.Seq] == x
		switch e.Request.Op.(type) {
		case api.OpenSession:
			named = x == "session"
		case api.KeepAlive:
			named = x == "keep"
		case api.EndSession:
			named = x == "end"
		case api.CancelAcquire:
			named = x == "cancel"
		case api.CloseHandle:
			named = named || x == "free"
		}
		if named {
			return e
		}
	}
	p.t.Fatalf("nothing was sent as %s", x)
	return session.Envelope{}
}

// answer delivers an answer to a sending.
func (p *player) answer(w []string) {
	e := p.sending(w[0])
	epoch, from := api.Epoch(1), e.To
	r := api.Result{Code: codes[w[1]]}
	require.True(p.t, r.Code.Valid(), w[1])
	if _, opens := e.Request.Op.(api.OpenSession); opens && r.Code == api.OK {
		r.Session = 7
	}
	master := uint32(0)
	for _, arg := range w[2:] {
		k, v, _ := strings.Cut(arg, "=")
		number, _ := strconv.Atoi(v)
		switch k {
		case "e":
			epoch = api.Epoch(number)
		case "m":
			master = uint32(number)
		case "from":
			from = uint32(number)
		case "lease":
			d, err := time.ParseDuration(v)
			require.NoError(p.t, err)
			r.Detail = api.Leased{Lease: d}
		case "failover":
			r.Detail = api.Leased{Lease: r.Detail.(api.Leased).Lease, Failover: true}
		case "held":
			r.Detail = api.Held{Gen: 3, Acquisition: api.Acquisition(number)}
		case "token":
			r.Detail = api.Opened{Token: api.Token(v)}
		case "ephemeral":
			o := r.Detail.(api.Opened)
			o.Stat.Ephemeral = true
			r.Detail = o
		default:
			p.t.Fatalf("what is %q?", arg)
		}
	}
	reply := e.Request.Answer(epoch, r)
	reply.Master = master
	p.m.Receive(p.now, from, reply)
}

// look takes the machine's output and prints it.
func (p *player) look() []string {
	out := p.m.TakeOutput()
	p.wake = out.Wake
	var lines []string
	for _, e := range out.Events {
		line := "event " + e.Kind.String()
		if e.Epoch != 0 {
			line += fmt.Sprintf(" to epoch %d", e.Epoch)
		}
		lines = append(lines, line)
	}
	for _, d := range out.Done {
		line := fmt.Sprintf("%s is %v: %v", p.names[d.Token], d.Outcome, d.Why)
		if d.Result.Code != 0 {
			line += " " + d.Result.Code.String()
		}
		lines = append(lines, line)
	}
	for _, l := range out.Launched {
		p.launched[l.Seq] = p.names[l.Token]
	}
	for _, e := range out.Send {
		p.sent = append(p.sent, e)
		lines = append(lines, fmt.Sprintf("#%d to %d %s", len(p.sent), e.To, p.request(e.Request)))
	}
	if lease := p.leaseState(); lease != p.lease {
		lines = append(lines, lease)
		p.lease = lease
	}
	return lines
}

// leaseState prints the state of the lease, if there is more to say than open.
func (p *player) leaseState() string {
	s := p.m.Status()
	switch {
	case s.State == session.Over:
		return fmt.Sprintf("over: %v", s.Why)
	case s.Lease == session.Valid:
		return fmt.Sprintf("valid until %v", s.Bound.Sub(p.begin).Round(time.Millisecond))
	}
	return s.Lease.String()
}

// request prints what is asked, and in which epoch.
func (p *player) request(q api.Request) string {
	name := ""
	switch o := q.Op.(type) {
	case api.OpenSession:
		return "open session"
	case api.KeepAlive:
		name = fmt.Sprintf("keepalive flushed %d", o.AckedEpoch)
		if o.Now {
			name += " now"
		}
		for _, t := range o.Tokens {
			name += " " + string(t)
		}
		return fmt.Sprintf("e%d %s", q.Epoch, name)
	case api.EndSession:
		name = "end"
	case api.Put:
		name = "put"
	case api.Get:
		name = "get"
	case api.Open:
		name = "open " + o.Path
	case api.Acquire:
		name = "acquire " + string(o.Handle)
		if !o.Wait {
			name = "try " + string(o.Handle)
		}
	case api.Release:
		name = "release " + string(o.Handle)
	case api.CloseHandle:
		name = "free " + string(o.Handle)
	case api.CancelAcquire:
		name = fmt.Sprintf("cancel %s of %d", o.Handle, o.Call)
	case api.SetSequencer:
		name = "attach " + string(o.Handle)
	}
	return fmt.Sprintf("e%d %d seen %d %s", q.Epoch, q.Seq, q.AckedThrough, name)
}
