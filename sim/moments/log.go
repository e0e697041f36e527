package moments

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/chubbycell/chubby/client"
	"github.com/chubbycell/chubby/paxos"
	"github.com/chubbycell/chubby/sim"
	"github.com/chubbycell/chubby/sim/describe"
	"github.com/chubbycell/chubby/sim/event"
	"github.com/chubbycell/chubby/sim/plan"
	"github.com/chubbycell/chubby/wal/vfs"
)

// Log keeps the moments of one run. It is the writer of the run's trace, and the listener of its events. Readers of its
// fields wait for the end of the run. A Log is for one goroutine.
type Log struct {
	All     []Moment
	Broke   int                       // moment of the break; None: nothing broke, or the break was found after the run
	Left    []event.Left              // each replica at the end of the run
	Clients []sim.Addr                // clients that had a session, in the order of their first one
	Says    map[sim.Addr]Opinion      // each client's opinion at the end of the run
	Held    map[sim.Addr][]Held       // locks that each client believes it holds
	Leads   map[sim.Addr]int          // the moment since which each replica has its belief about the leader
	Tenures map[sim.Addr]paxos.Tenure // that belief
	Audits  map[sim.Addr]*Audit       // audits of each replica, in its present life
	strikes map[int]plan.Fault        // by moment
	last    map[sim.Addr]int          // the last moment of each machine
	sent    map[string][]int          // sendings of messages on their way, by link and text
	onLink  map[[2]sim.Addr]int       // the latest sending on each link
	synced  map[onDisk]time.Duration  // when a file was last synced
	open    []string                  // commands that were proposed and not executed, in words
	dialed  map[sim.Addr]dialedClient // how to ask each client about its latest session
	world   *sim.World                // nil: lines and events come from elsewhere
}

// Opinion is what a client believes about its session.
type Opinion struct {
	Dead   bool // its machine is down, and Status is zero
	Status client.Status
}

// dialedClient asks a client for its opinion.
type dialedClient struct {
	status func() client.Status
	dead   func() bool
}

// Held is a lock that a client believes it holds.
type Held struct {
	Node, Mode string
	Since      time.Duration // true time
}

// NewLog returns an empty log.
func NewLog() *Log {
	return &Log{
		Broke: None, Says: map[sim.Addr]Opinion{}, Held: map[sim.Addr][]Held{}, Leads: map[sim.Addr]int{}, Tenures: map[sim.Addr]paxos.Tenure{},
		strikes: map[int]plan.Fault{}, last: map[sim.Addr]int{}, sent: map[string][]int{},
		Audits: map[sim.Addr]*Audit{}, onLink: map[[2]sim.Addr]int{}, synced: map[onDisk]time.Duration{}, dialed: map[sim.Addr]dialedClient{},
	}
}

// Watch makes the log the trace and the listener of a run of o. It replaces those of o; only o.Trace.Made is still
// called.
func (l *Log) Watch(o *plan.Options) {
	o.Trace = sim.Trace{W: l, Describe: describe.Message, Made: l.sees(o.Trace.Made)}
	o.Listen = l.Listen
}

// sees returns a function for Trace.Made that calls first, if it is not nil, and then keeps the world.
func (l *Log) sees(first func(*sim.World)) func(*sim.World) {
	return func(w *sim.World) {
		if first != nil {
			first(w)
		}
		l.world = w
	}
}

// add appends a moment, sets its Prev, and returns its number.
func (l *Log) add(m Moment) int {
	m.Prev, m.Cause, m.Text = None, None, Squeeze(m.Text)
	if m.Who != 0 {
		if before, ok := l.last[m.Who]; ok {
			m.Prev = before
		}
		if l.Broke == None || m.Kind != "fault" { // after the break, the end of the run may cut the power of all machines
			l.last[m.Who] = len(l.All)
		}
	}
	l.All = append(l.All, m)
	return len(l.All) - 1
}

// Write takes whole lines of a trace, in the format of sim.Trace. It never fails.
func (l *Log) Write(lines []byte) (int, error) {
	for line := range strings.Lines(string(lines)) {
		l.line(line)
	}
	return len(lines), nil
}

func (l *Log) line(line string) {
	f := strings.Fields(line)
	if len(f) < 5 {
		return
	}
	m := Moment{At: Seconds(f[1]), Who: address(f[2]), Kind: f[4], Text: strings.Join(f[5:], " ")}
	m.Step, _ = strconv.ParseUint(f[0], 10, 64)
	if f[3] != "-" {
		m.Local = f[3]
	}
	switch m.Kind {
	case "send", "receive", "lost":
		l.message(m)
	case "fault":
		i := l.add(m)
		if m.Who != 0 && l.Broke == None && (f[5] == "crash" || f[5] == "kill" || f[5] == "start") {
			delete(l.Held, m.Who) // the beliefs of its programs end with them
		}
		if n, err := strconv.Atoi(f[len(f)-1]); err == nil && m.Who == 0 {
			l.strikes[i] = plan.Fault{Kind: f[5], N: n}
		}
	case "FAILURE":
		l.Broke = l.add(m)
	case Filed, "far":
		if len(f) < 7 {
			return
		}
		l.noteSync(m.Who, m.At, f[5:])
		if filing[f[5]] || IsFailedCall(&m) {
			m.Kind = Filed
			l.add(m)
		}
	case Unsynced:
		m.Text = l.unsynced(m.Who, f[5], m.Text)
		l.add(m)
	case Unreachable:
		m.Peer = address(f[len(f)-1])
		m.Text = fmt.Sprintf("is told that %v is unreachable", m.Peer)
		l.add(m)
	case "failed", "NOTED", Says:
		l.add(m)
	}
}

// IsFailedCall reports whether a moment is a call of a disk that failed with an input/output error.
func IsFailedCall(m *Moment) bool {
	return (m.Kind == Filed || m.Kind == "far") && strings.Contains(m.Text, vfs.ErrIO.Error())
}

// filing are the disk calls that change which files there are, or how long one is.
var filing = map[string]bool{"create": true, "rename": true, "remove": true, "truncate": true}

// message keeps the sending or the receipt of a message, and links a receipt to its sending.
func (l *Log) message(m Moment) {
	_, rest, _ := strings.Cut(m.Text, " ") // behind the arrow
	to, text, _ := strings.Cut(rest, " ")
	m.Peer, m.Text = address(to), text
	if m.Kind == "lost" {
		if i, ok := l.onLink[[2]sim.Addr{m.Who, m.Peer}]; ok {
			l.All[i].Lost = true
		}
		return
	}
	i := l.add(m)
	if m.Kind == "send" {
		key := fmt.Sprint(m.Who, m.Peer, text)
		l.sent[key] = append(l.sent[key], i)
		l.onLink[[2]sim.Addr{m.Who, m.Peer}] = i
		return
	}
	key := fmt.Sprint(m.Peer, m.Who, text)
	if way := l.sent[key]; len(way) > 0 {
		for len(way) > 1 && l.All[way[0]].Arrived { // the network may deliver the last one twice
			way = way[1:]
		}
		l.All[i].Cause = way[0]
		l.All[way[0]].Arrived = true
		l.sent[key] = way
	}
}

// Listen takes an event that happened at true time now.
func (l *Log) Listen(now time.Duration, e event.Event) {
	opinion := func(who sim.Addr, kind, format string, args ...any) int {
		return l.add(Moment{At: now, Step: l.step(), Local: l.localOf(who), Who: who, Kind: kind, Text: fmt.Sprintf(format, args...)})
	}
	switch e := e.(type) {
	case event.FaultActs:
		l.strikes[l.add(Moment{At: now, Step: l.step(), Kind: Acts})] = plan.Fault{Kind: e.Kind, N: e.N}
	case event.Opens:
		opinion(sim.Addr(e.Replica), Finds, "begins to read its disk, which has %s", e.Has)
	case event.Recovered:
		opinion(sim.Addr(e.Replica), Durable, "%s", recovery(e))
	case event.SnapshotPublished:
		origin := ""
		if e.Fetched {
			origin = fmt.Sprintf(", fetched from another replica; the rows here are those after slot %d", e.Applied)
		}
		opinion(sim.Addr(e.Replica), Durable, written+"%d%s", e.Slot, origin)
	case event.Started:
		opinion(sim.Addr(e.Replica), Believes, "starts with boot number %d, has promised %v, knows what was chosen below slot %d", e.Boot, e.Status.Promised, e.Status.FirstOpen)
		delete(l.Leads, sim.Addr(e.Replica))
		l.Audits[sim.Addr(e.Replica)] = &Audit{Passed: map[string]int{}}
	case event.AuditBegun, event.AuditPassed:
		l.audit(e)
	case event.TenureChanged:
		who := sim.Addr(e.Replica)
		l.Tenures[who] = e.Tenure
		switch t := e.Tenure; {
		case t.Mine:
			l.Leads[who] = opinion(who, Believes, "believes it is the leader at ballot %v", t.Ballot)
		case t.Leader == 0:
			l.Leads[who] = opinion(who, Believes, "knows no leader")
		default:
			l.Leads[who] = opinion(who, Believes, "believes n%d is the leader at ballot %v", t.Leader, t.Ballot)
		}
	case event.Serves:
		opinion(sim.Addr(e.Replica), Believes, "serves clients as master of epoch %d", e.Epoch)
	case event.SnapshotInstalled:
		opinion(sim.Addr(e.Replica), Believes, installed+"%d", e.Slot)
	case event.Durable:
		for i, r := range e.Records {
			number := ""
			if e.First > 0 {
				number = fmt.Sprintf(", record #%d", e.First+paxos.LSN(i))
			}
			opinion(sim.Addr(e.Replica), Durable, "%v%s", r, number)
		}
	case event.Proposed:
		l.noteProposed(e.Commands)
	case event.Refused:
		opinion(sim.Addr(e.Replica), Refuses, "%s", Clip(proposed(e.Command), 160))
	case event.Executed:
		l.noteExecuted(e.Command.Command)
		l.add(Moment{At: now, Step: l.step(), Kind: Executes, Text: Clip(Squeeze(executed(e)), 230)})
	case event.SessionTold:
		l.All[opinion(e.Client, Believes, "%s", toldOf(e))].Session = true
	case event.LockBelieved:
		opinion(e.Client, Believes, "believes that it holds the lock of %v, %v", e.Node, e.Mode)
		l.Held[e.Client] = append(l.Held[e.Client], Held{fmt.Sprint(e.Node), fmt.Sprint(e.Mode), now})
	case event.LockGivenUp:
		opinion(e.Client, Believes, "no longer counts on the lock of %v", e.Node)
		l.givesUp(e.Client, fmt.Sprint(e.Node))
	case event.CallEnded:
		outcome := "ok"
		if e.Err != nil {
			outcome = e.Err.Error()
		}
		if e.Got != "" {
			outcome = Squeeze(e.Got)
		}
		asked := Clip(Squeeze(cmp.Or(e.Asked, e.Call)), 80)
		i := opinion(e.Client, Told, "(%s): %s%s returned: %s", e.Program.As(e.Role), asked, sentAs(e.Trail), Clip(outcome, 100))
		l.All[i].Program, l.All[i].Call, l.All[i].Cut = e.Program, e.Call, isCut(e.Err)
	case event.Noted:
		i := opinion(e.Client, Told, "(%s): note: %s", e.Program.As(e.Role), Clip(e.Text, 100))
		l.All[i].Program, l.All[i].Call, l.All[i].Note = e.Program, e.Text, true
	case event.SessionDialed:
		if _, known := l.dialed[e.Client]; !known {
			l.Clients = append(l.Clients, e.Client)
		}
		l.dialed[e.Client] = dialedClient{e.Status, e.Dead}
	case event.Left:
		if l.Left == nil { // ask the clients now, while the world still exists
			for _, a := range l.Clients {
				l.Says[a] = l.Asked(a)
			}
		}
		l.Left = append(l.Left, e)
	}
}

// isCut reports whether a call ended without an answer, so that its program may have been stopped in the middle of its
// work. A withdrawn call had no effect, and is not cut.
func isCut(err error) bool {
	return !errors.Is(err, client.ErrWithdrawn) &&
		(errors.Is(err, client.ErrOutcomeUnknown) || errors.Is(err, context.DeadlineExceeded) || errors.Is(err, context.Canceled))
}

// sentAs names the session and the sequence number that a program's call had; "" if unknown.
func sentAs(t *client.CallID) string {
	if t == nil || t.Session == 0 || t.Seq == 0 {
		return ""
	}
	return fmt.Sprintf(", session %d seq %d", t.Session, t.Seq)
}

// Asked returns the present opinion of a client, which must be in l.Clients.
func (l *Log) Asked(a sim.Addr) Opinion {
	d := l.dialed[a]
	if d.dead() {
		return Opinion{Dead: true}
	}
	return Opinion{Status: d.status()}
}

// givesUp removes a lock from those that a client believes it holds.
func (l *Log) givesUp(who sim.Addr, node string) {
	all := l.Held[who]
	for i := range all {
		if all[i].Node == node {
			l.Held[who] = append(all[:i:i], all[i+1:]...)
			return
		}
	}
}

// step returns the number of the present event of the world; 0 without a world.
func (l *Log) step() uint64 {
	if l.world == nil {
		return 0
	}
	return l.world.Steps()
}

// localOf returns what the clock of a machine reads now; without a world, its last reading in the log.
func (l *Log) localOf(who sim.Addr) string {
	if l.world != nil {
		m := l.world.Machine(who)
		if m == nil {
			return ""
		}
		return stamp(sim.ReadingOf(m.Clock().Mono()))
	}
	return l.LocalOf(who)
}

// LocalOf returns the local time of a machine's last moment; "" if there is none.
func (l *Log) LocalOf(who sim.Addr) string {
	if i, ok := l.last[who]; ok {
		return l.All[i].Local
	}
	return ""
}

// stamp prints a time in the format of the trace.
func stamp(d time.Duration) string {
	sign := ""
	if d < 0 {
		sign, d = "-", -d
	}
	return fmt.Sprintf("%s%d.%09d", sign, d/time.Second, d%time.Second)
}

// Seconds reads a time of the trace. It returns 0 if s is not a time.
func Seconds(s string) time.Duration {
	d, _ := time.ParseDuration(s + "s")
	return d
}

// address reads the name of a machine in the trace; 0 if s is not one.
func address(s string) sim.Addr {
	n, err := strconv.ParseUint(s[min(1, len(s)):], 10, 31)
	switch {
	case err != nil || s == "":
		return 0
	case s[0] == 'c':
		return sim.FirstClient + sim.Addr(n) - 1
	}
	return sim.Addr(n)
}

// Clip returns s, or its first most bytes and "..." if it is longer.
func Clip(s string, most int) string {
	if len(s) <= most {
		return s
	}
	return strings.ToValidUTF8(s[:most], "") + "..."
}

// Squeeze returns s with each long run of one letter or digit put as that character and the length of the run, as in
// g~254: what stands behind a very long name is not clipped then.
func Squeeze(s string) string {
	const short = 20
	var b strings.Builder
	done := 0
	for i := 0; i < len(s); {
		n := 1
		for i+n < len(s) && s[i+n] == s[i] {
			n++
		}
		if c := s[i]; n > short && ('a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || '0' <= c && c <= '9') {
			fmt.Fprintf(&b, "%s%c~%d", s[done:i], c, n)
			done = i + n
		}
		i += n
	}
	if done == 0 {
		return s
	}
	return b.String() + s[done:]
}
