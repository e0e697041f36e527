package nodeops_test

import (
	"fmt"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/chubbycell/chubby/replica/api"
	"github.com/chubbycell/chubby/replica/master/calls"
	"github.com/chubbycell/chubby/replica/master/nodeops"
	"github.com/chubbycell/chubby/replica/state/command"
	"github.com/chubbycell/chubby/replica/state/lock"
)

// script is a world that is driven by lines of text, and tells what happens in
// lines of text. Sessions and handles have names; the calls of a session are
// numbered from 1.
//
//	ann open f /f rw must [ephemeral] [directory] [private] [delay 5s] [below d] [hears contents,wanted]
//	ann get f · stat f · dir f · set f TEXT · names f NAME · delete f
//	ann acquire f exclusive|shared [wait] · release f [of CALL] · cancel f CALL
//	ann sequencer f q · attach f q · check f q · close f · poison f
//	ann events · has NUMBER · caches on|off
//	ann lost ... · copy CALL · seen CALL · end · expires · flushed · presents f
//	session dog of ann (another one of ann's principal)
//	caches · apply [all|together] · busy [last] · lease on|off · pass 5s · serving · failover [late] · deposed · wake
type script struct {
	*world
	ids    map[string]api.SessionID
	names  map[api.SessionID]string
	next   map[api.SessionID]api.Seq
	seen   map[api.SessionID]api.Seq
	calls  map[name]calls.Request
	opens  map[name]string // the name of the handle that the call opens
	seqs   map[name]string // the name of the sequencer that the call gets
	tokens map[string]api.Token
	quoted map[string]api.Sequencer
	held   map[name]api.Acquisition
	last   map[string]api.Acquisition // of a handle
	keeps  map[api.SessionID]bool     // sessions whose calls ask to keep the answer in the cache
	out    []string
}

func newScript(t testing.TB) *script {
	cfg := nodeops.DefaultConfig()
	cfg.Handles.PerSession, cfg.Queues.PerLock = 4, 3
	return newScriptOf(t, cfg)
}

func newScriptOf(t testing.TB, cfg nodeops.Config) *script {
	s := &script{
		world: newWorld(t, cfg), ids: map[string]api.SessionID{}, names: map[api.SessionID]string{},
		next: map[api.SessionID]api.Seq{}, seen: map[api.SessionID]api.Seq{}, calls: map[name]calls.Request{},
		opens: map[name]string{}, seqs: map[name]string{}, tokens: map[string]api.Token{},
		quoted: map[string]api.Sequencer{}, held: map[name]api.Acquisition{}, last: map[string]api.Acquisition{},
		keeps: map[api.SessionID]bool{},
	}
	for _, who := range []string{"ann", "bob", "cat"} {
		s.ids[who] = s.session(api.Principal(who))
		s.names[s.ids[who]] = who
	}
	s.said = s.reply
	s.proposed = func(c command.Command) { s.tell("propose %s", s.text(c)) }
	return s
}

func (s *script) tell(format string, args ...any) {
	s.out = append(s.out, fmt.Sprintf(format, args...))
}

// do runs lines and returns what happened.
func (s *script) do(lines string) string {
	s.out = nil
	for _, line := range strings.Split(strings.TrimSpace(lines), "\n") {
		for _, part := range strings.Split(line, ";") {
			if w := strings.Fields(part); len(w) > 0 {
				s.line(w)
			}
		}
	}
	if len(s.out) == 0 {
		return "nothing\n"
	}
	return strings.Join(s.out, "\n") + "\n"
}

func (s *script) line(w []string) {
	if id, ok := s.ids[w[0]]; ok {
		s.client(id, w[1:])
		return
	}
	if (w[0] == "apply" || w[0] == "busy") && len(s.log) == 0 {
		s.tell("nothing is proposed")
		return
	}
	switch w[0] {
	case "apply":
		switch {
		case len(w) == 1:
			s.step()
		case w[1] == "all":
			s.drain()
		default:
			s.slot()
		}
	case "busy":
		if len(w) > 1 { // busy last
			n := len(s.log) - 1
			s.log = append(s.log[n:], s.log[:n]...)
		}
		s.refuse(api.Busy)
	case "lease":
		s.authority = w[1] == "on"
	case "pass":
		s.pass(s.duration(w[1]))
	case "serving":
		s.tell("ready: %t", s.ops.IsReady())
		s.ops.Serving(s.now)
	case "failover":
		late := s.log
		s.failover()
		if len(w) > 1 {
			s.log = late
		}
	case "session":
		s.ids[w[1]] = s.session(api.Principal(w[3]))
		s.names[s.ids[w[1]]] = w[1]
	case "caches":
		c := s.ops.Status()
		s.tell("%d registrations, %d paths held, %d calls wait, longest %v", c.Caches.Registrations, c.Caches.Held, c.Barred, c.Caches.Longest)
	case "deposed":
		s.epoch()
	case "wake":
		if at := s.ops.Wake(); at.IsZero() {
			s.tell("wake: never")
		} else {
			s.tell("wake: %v", at.Sub(s.now))
		}
	default:
		s.t.Fatalf("no line: %v", w)
	}
}

func (s *script) client(id api.SessionID, w []string) {
	switch w[0] {
	case "copy":
		s.ask(s.calls[name{id, s.number(w[1])}])
		return
	case "seen":
		s.seen[id] = s.number(w[1])
		return
	case "saw":
		s.ops.Ack(s.at(), id, s.number(w[1]))
		s.take()
		return
	case "end":
		s.next[id]++
		s.upkeep(command.Call{Guard: s.guard(), Session: id, Seq: s.next[id], Op: api.EndSession{}})
		return
	case "expires":
		s.upkeep(command.Expire{Guard: s.guard(), Session: id})
		return
	case "flushed":
		s.ops.EpochAcked(s.at(), id)
		s.take()
		return
	case "events":
		events, last := s.ops.TakeEvents(id)
		for i, e := range events {
			s.tell("%d %v", last-api.EventNumber(len(events)-1-i), e)
		}
		if len(events) == 0 {
			s.tell("no event")
		}
		return
	case "has":
		s.ops.AckEvents(s.at(), id, api.EventNumber(s.number(w[1])))
		s.take()
		return
	case "caches":
		s.keeps[id] = w[1] == "on"
		return
	case "presents":
		s.tell("%s: %v", w[1], s.ops.Present(s.at(), id, s.tokens[w[1]]))
		s.take()
		return
	}
	s.next[id]++
	k := name{id, s.next[id]}
	lost := w[0] == "lost"
	if lost {
		w = w[1:]
	}
	switch w[0] {
	case "open":
		s.opens[k] = w[1]
	case "sequencer":
		s.seqs[k] = w[2]
	case "attach":
		s.opens[k] = w[1]
	}
	c := calls.Request{Session: id, Seq: k.seq, Seen: s.seen[id], Op: s.op(id, w), MayCache: s.keeps[id]}
	s.calls[k] = c
	if !lost {
		s.ask(c)
	}
}

func (s *script) number(text string) api.Seq {
	n, err := strconv.ParseUint(text, 10, 64)
	require.NoError(s.t, err)
	return api.Seq(n)
}

func (s *script) duration(text string) time.Duration {
	d, err := time.ParseDuration(text)
	require.NoError(s.t, err)
	return d
}

func (s *script) reply(r nodeops.Reply) {
	k := name{r.Session, r.Seq}
	text := s.result(k, r.Result)
	if r.Cacheable {
		text += fmt.Sprintf(" cacheable since drop %d", r.Drops)
	}
	s.tell("%s/%d %s", s.names[r.Session], r.Seq, text)
}

// result remembers what a client would remember: tokens, sequencers, acquisitions.
func (s *script) result(k name, r api.Result) string {
	text := r.Code.String()
	if r.Value != "" {
		text += " " + r.Value
	}
	switch d := r.Detail.(type) {
	case api.Opened:
		if d.Token != "" {
			s.tokens[s.opens[k]] = d.Token
			text += " token"
		}
		if d.Created {
			text += " created"
		}
		if d.Node.Instance != 0 {
			text += " " + d.Node.Path.String()
		}
	case api.Held:
		s.held[k] = d.Acquisition
		s.last[s.handleOf(k)] = d.Acquisition
		text += " held"
	case api.Sequenced:
		s.quoted[s.seqs[k]] = d.Sequencer
		text += " " + d.Sequencer.Mode.String()
	case api.Listing:
		for _, c := range d.Children {
			text += " " + c.Name
		}
	}
	return text
}

func (s *script) handleOf(k name) string {
	for _, n := range []string{"f", "g", "h", "k"} {
		if a, ok := s.calls[k].Op.(api.Acquire); ok && a.Handle == s.tokens[n] {
			return n
		}
	}
	return ""
}

// text is a command in few words.
func (s *script) text(c command.Command) string {
	switch c := c.(type) {
	case command.NodeCommand:
		kind := strings.ToLower(strings.TrimPrefix(fmt.Sprintf("%T", c.Op), "command."))
		if f, ok := c.Op.(command.Fail); ok {
			kind += " " + f.Code.String()
		}
		return fmt.Sprintf("%s/%d %s", s.names[c.Session], c.Seq, kind)
	case command.Sweep:
		return "sweep " + c.Node.Path.String()
	case command.DelayOver:
		return "delay-over " + c.Node.Path.String()
	case command.FailHandle:
		return fmt.Sprintf("fail-handle %s %v", s.names[c.Session], c.Handle)
	}
	return fmt.Sprintf("%T", c)
}

// holders names the holders of the lock of the node at a path.
func (s *script) holders(p string) string {
	var all []string
	for _, h := range lock.Holdings(s.db) {
		if h.Lock.Path == path(p) {
			all = append(all, fmt.Sprintf("%s %v", s.names[h.Owner.Session], h.Mode))
		}
	}
	if len(all) == 0 {
		return "none"
	}
	return strings.Join(all, ", ")
}
