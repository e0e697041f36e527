package master_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/cockroachdb/datadriven"
	"github.com/stretchr/testify/require"

	"github.com/chubbycell/chubby/db"
	"github.com/chubbycell/chubby/replica/api"
	"github.com/chubbycell/chubby/replica/master"
	"github.com/chubbycell/chubby/replica/state/command"
	"github.com/chubbycell/chubby/replica/state/rows"
	"github.com/chubbycell/chubby/replica/state/tree"
)

// stage is two replicas on one log, with one clock, and the text of what they do. Commands that the
// leader proposes are decided at once, and every replica that lives applies them.
type stage struct {
	t      *testing.T
	cfg    master.Config
	now    time.Time
	start  time.Time
	log    []string
	actors map[string]*actor
	leader string
	out    strings.Builder

	names  map[uint64]string // of handles, by the id of the request that opens them
	tokens map[string]api.Token
	holds  map[string]api.Acquisition // by the handle
	locks  map[uint64]string          // the handle of an Acquire, by the id of its request
}

type actor struct {
	name    string
	m       *master.Master
	db      *db.DB
	applied int
	lease   bool // it has read authority
	full    bool // its log takes nothing
	hangs   bool // its commands are not decided until it goes on
	held    []string
	state   string
}

func newStage(t *testing.T, idle time.Duration) *stage {
	s := &stage{t: t, actors: map[string]*actor{}, now: time.Unix(1000, 0), start: time.Unix(1000, 0)}
	s.names, s.tokens = map[uint64]string{}, map[string]api.Token{}
	s.locks, s.holds = map[uint64]string{}, map[string]api.Acquisition{}
	s.cfg = withLeases()
	s.cfg.Secret, s.cfg.Founding, s.cfg.Sessions.IdleAfter = [32]byte{7}, tree.OpenFounding(), idle
	for i, name := range []string{"A", "B"} {
		cfg := s.cfg
		cfg.ID = uint32(i + 1)
		s.actors[name] = &actor{name: name, m: master.New(cfg, 0), db: db.New(), lease: true, state: "following"}
	}
	return s
}

func (s *stage) at(a *actor) master.At {
	at := master.At{Now: s.now, Rows: a.db}
	if a.lease {
		at.Lease = s.now.Add(time.Second)
	}
	return at
}

func (s *stage) say(format string, args ...any) {
	fmt.Fprintf(&s.out, "%-7v %s\n", s.now.Sub(s.start), fmt.Sprintf(format, args...))
}

// settle decides and applies proposals until there are none.
func (s *stage) settle() {
	for moved := true; moved; {
		moved = false
		for _, name := range []string{"A", "B"} {
			if a := s.actors[name]; a != nil {
				moved = s.take(a) || s.apply(a) || moved
			}
		}
	}
}

func (s *stage) take(a *actor) bool {
	out := a.m.TakeOutput(time.Time{}, plenty)
	for _, p := range out.Replies {
		s.say("%s answers %s", a.name, showReply(p))
		s.note(p)
	}
	for _, p := range out.Propose {
		c, err := command.Decode(string(p.Command))
		require.NoError(s.t, err)
		switch {
		case a.full:
			s.say("%s proposes %s, and the log is full", a.name, showCommand(c))
			a.m.Refused(s.at(a), p, api.Busy)
		case s.leader != a.name:
			s.say("%s proposes %s, in vain", a.name, showCommand(c))
		default:
			s.say("%s proposes %s", a.name, showCommand(c))
			a.held = append(a.held, string(p.Command))
		}
	}
	moved := len(out.Propose) > 0 && !a.full
	if !a.hangs && s.leader == a.name {
		moved = moved || len(a.held) > 0
		s.log = append(s.log, a.held...)
		a.held = nil
	}
	if state := a.m.Status().String(); state != a.state {
		s.say("%s is %s in epoch %d", a.name, state, a.m.Status().Epoch)
		a.state = state
	}
	return moved
}

func (s *stage) apply(a *actor) bool {
	if a.applied == len(s.log) {
		return false
	}
	tx := a.db.Begin()
	done := command.Apply(tx, s.log[a.applied])
	tx.Commit()
	a.applied++
	a.m.Applied(s.at(a), done)
	return true
}

// note remembers what a client would remember of an answer.
func (s *stage) note(p master.Reply) {
	switch d := p.Detail.(type) {
	case api.Opened:
		s.tokens[s.names[p.ID]] = d.Token
	case api.Held:
		s.holds[s.locks[p.ID]] = d.Acquisition
	}
}

func showReply(p master.Reply) string {
	text := fmt.Sprintf("#%d: %v", p.ID, p.Code)
	if p.Result.Session != 0 {
		text += fmt.Sprintf(" session %d", p.Result.Session)
	}
	if l, ok := p.Detail.(api.Leased); ok {
		text += fmt.Sprintf(", lease %v", l.Lease)
		if l.Failover {
			text += ", fail-over"
		}
	}
	if h, ok := p.Detail.(api.Held); ok {
		text += fmt.Sprintf(", held since %d", h.Acquisition)
	}
	if p.Value != "" {
		text += ", " + p.Value
	}
	return text + fmt.Sprintf(" (epoch %d, master %d)", p.Epoch, p.Master)
}

func showCommand(c command.Command) string {
	switch c := c.(type) {
	case command.Epoch:
		return "its epoch"
	case command.Call:
		return strings.TrimPrefix(fmt.Sprintf("%T", c.Op), "api.")
	case command.NodeCommand:
		return strings.TrimPrefix(fmt.Sprintf("%T", c.Op), "command.")
	case command.Expire:
		return fmt.Sprintf("the end of session %d", c.Session)
	case command.LongestLease:
		return fmt.Sprintf("leases up to %v", c.Lease)
	}
	return strings.TrimPrefix(fmt.Sprintf("%T", c), "command.")
}

// do carries out one line of a story.
func (s *stage) do(line string) {
	w := strings.Fields(line)
	if w[0] == "pass" {
		d, err := time.ParseDuration(w[1])
		require.NoError(s.t, err, line)
		s.pass(d)
		return
	}
	a := s.actors[w[0]]
	require.NotNil(s.t, a, line)
	switch w[1] {
	case "leads":
		s.leader = a.name
		s.tell()
	case "elected": // it leads; the other replica is not told
		s.leader = a.name
		s.tellOne(a)
	case "told":
		s.tellOne(a)
	case "dies":
		delete(s.actors, a.name)
	case "hangs": // its log decides nothing, until it goes on
		a.hangs = true
	case "goes": // "goes on"
		a.hangs = false
	case "lease":
		a.lease = w[2] == "on"
		s.wake(a) // a driver asks after each event
	case "log":
		a.full = w[2] == "full"
	case "dismisses":
		var id api.SessionID
		_, err := fmt.Sscan(w[2], &id)
		require.NoError(s.t, err, line)
		d, ok := a.m.Dismiss(id)
		require.True(s.t, ok, line)
		s.say("%s dismisses session %d of %s: it ends in %v", a.name, id, d.Principal, d.Ends.Sub(s.now))
	case "wakes":
		a.m.Advance(s.at(a))
	default:
		s.request(a, w[1], w[2:])
	}
	s.settle()
}

func (s *stage) tell() {
	for _, name := range []string{"A", "B"} {
		if a := s.actors[name]; a != nil {
			s.tellOne(a)
		}
	}
}

func (s *stage) tellOne(a *actor) {
	for s.apply(a) { // slots come before the tenure
	}
	id := map[string]uint32{"A": 1, "B": 2}[s.leader]
	a.m.Tenure(master.Tenure{Leader: id, Ballot: rows.Ballot{Round: uint64(len(s.log) + 1), Node: id}, Mine: s.leader == a.name})
}

// request sends a request such as "#7 KeepAlive session=1 epoch=2": fields that are left out are zero.
func (s *stage) request(a *actor, name string, w []string) {
	q := api.Request{}
	_, err := fmt.Sscanf(name, "#%d", &q.ID)
	require.NoError(s.t, err, name)
	keep, open := api.KeepAlive{}, api.Open{Rights: api.RightRead | api.RightWrite}
	who, name, wait := api.Principal("ann"), "", false
	for _, arg := range w[1:] {
		key, value, _ := strings.Cut(arg, "=")
		var n uint64
		_, _ = fmt.Sscan(value, &n)
		switch key {
		case "session":
			q.Session = api.SessionID(n)
		case "seq":
			q.Seq = api.Seq(n)
		case "seen":
			q.AckedThrough = api.Seq(n)
		case "epoch":
			q.Epoch = api.Epoch(n)
		case "flushed":
			keep.AckedEpoch = api.Epoch(n)
		case "now":
			keep.Now = true
		case "nonce":
			q.Op = api.OpenSession{Nonce: api.Nonce{n}}
		case "who":
			who = api.Principal(value)
		case "path":
			open.Path = value
		case "create":
			open.Create, open.Kind = api.CreateMay, api.File
		case "ephemeral":
			open.Ephemeral = true
		case "delay":
			open.Delay = api.LockDelay(n)
		case "handle":
			name = value
		case "token":
			keep.Tokens = append(keep.Tokens, s.tokens[value])
		case "wait":
			wait = true
		default:
			require.Fail(s.t, arg)
		}
	}
	s.names[q.ID], s.locks[q.ID] = name, name
	token := s.tokens[name]
	switch w[0] {
	case "Open":
		q.Op = open
	case "Acquire":
		q.Op = api.Acquire{Handle: token, Mode: api.Exclusive, Wait: wait}
	case "Release":
		q.Op = api.Release{Handle: token, Acquisition: s.holds[name]}
	case "CloseHandle":
		q.Op = api.CloseHandle{Handle: token}
	case "GetContents":
		q.Op = api.GetContents{Handle: token}
	case "SetContents":
		q.Op = api.SetContents{Handle: token, Contents: "written"}
	case "KeepAlive":
		q.Op = keep
	case "Get":
		q.Op = api.Get{Key: "k"}
	case "Put":
		q.Op = api.Put{Key: "k", Value: "v"}
	case "EndSession":
		q.Op = api.EndSession{}
	}
	a.m.Request(s.at(a), master.Addr(1), who, q)
}

// wake calls Advance if that is due.
func (s *stage) wake(a *actor) {
	if w := a.m.Wake(s.at(a)); w.IsZero() || s.now.Before(w) {
		return
	}
	a.m.Advance(s.at(a))
	w := a.m.Wake(s.at(a))
	require.True(s.t, w.IsZero() || s.now.Before(w), "it would spin")
}

// pass lets time pass, and calls Advance of each master when that is due.
func (s *stage) pass(d time.Duration) {
	for end := s.now.Add(d); ; {
		next := end
		for _, a := range s.actors { // order-free: the earliest
			if w := a.m.Wake(s.at(a)); !w.IsZero() && w.Before(next) {
				next = w
			}
		}
		require.False(s.t, next.Before(s.now), "a wake in the past")
		s.now = next
		for _, name := range []string{"A", "B"} {
			if a := s.actors[name]; a != nil {
				s.wake(a)
			}
		}
		s.settle()
		if !s.now.Before(end) {
			return
		}
	}
}

// Each file is a story of a cell of two replicas: what happens, and what its masters do.
func TestStories(t *testing.T) {
	datadriven.Walk(t, "testdata/stories", func(t *testing.T, path string) {
		s := newStage(t, 0)
		datadriven.RunTest(t, path, func(t *testing.T, d *datadriven.TestData) string {
			s.out.Reset()
			if d.Cmd == "idle" { // sets IdleAfter
				idle, err := time.ParseDuration(d.CmdArgs[0].Key)
				require.NoError(t, err)
				s = newStage(t, idle)
				return ""
			}
			require.Equal(t, "do", d.Cmd)
			for _, line := range strings.Split(d.Input, "\n") {
				s.do(line)
			}
			if s.out.Len() == 0 {
				return "nothing\n"
			}
			return s.out.String()
		})
	})
}
