package story

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/chubbycell/chubby/client"
	"github.com/chubbycell/chubby/replica/state/command"
	"github.com/chubbycell/chubby/sim"
	"github.com/chubbycell/chubby/sim/event"
	"github.com/chubbycell/chubby/sim/plan"
)

// log keeps the moments of one run. It is the writer of its trace, and the listener of its
// events.
type log struct {
	all     []moment
	last    map[sim.Addr]int    // moment of each machine
	sent    map[string][]int    // messages on their way, by link and text
	strikes map[int]plan.Fault  // by moment
	broke   int                 // moment of the break; none: it is judged when all is over
	left    []event.Left        // of replicas, when the run was over
	clients map[sim.Addr]dialed // the latest session of each
	order   []sim.Addr          // of clients
	says    map[sim.Addr]string // what each believes, when the run was over
	held    map[sim.Addr][]held
	leads   map[sim.Addr]int // since which moment a replica has its opinion about the leader
}

// dialed is a client whose opinion can be asked.
type dialed struct {
	status func() client.Status
	dead   func() bool
}

// held is a lock that a client believes to hold.
type held struct {
	node, mode string
	since      time.Duration
}

func newLog() *log {
	return &log{
		last: map[sim.Addr]int{}, sent: map[string][]int{}, strikes: map[int]plan.Fault{}, broke: none,
		clients: map[sim.Addr]dialed{}, held: map[sim.Addr][]held{}, leads: map[sim.Addr]int{},
	}
}

// add keeps a moment and returns its number.
func (l *log) add(m moment) int {
	m.prev, m.cause = none, none
	if m.who != 0 {
		if before, ok := l.last[m.who]; ok {
			m.prev = before
		}
		l.last[m.who] = len(l.all)
	}
	l.all = append(l.all, m)
	return len(l.all) - 1
}

// Write takes whole lines of the trace, as sim.Trace has them.
func (l *log) Write(lines []byte) (int, error) {
	for line := range strings.Lines(string(lines)) {
		l.line(line)
	}
	return len(lines), nil
}

func (l *log) line(line string) {
	f := strings.Fields(line)
	if len(f) < 5 {
		return
	}
	m := moment{at: seconds(f[1]), who: address(f[2]), kind: f[4], text: strings.Join(f[5:], " ")}
	if f[3] != "-" {
		m.local = f[3]
	}
	switch m.kind {
	case "send", "receive":
		l.message(m)
	case "fault":
		i := l.add(m)
		if n, err := strconv.Atoi(f[len(f)-1]); err == nil && m.who == 0 {
			l.strikes[i] = plan.Fault{Kind: f[5], N: n}
		}
	case "FAILURE":
		l.broke = l.add(m)
	case "failed":
		l.add(m)
	}
}

// message keeps the sending or the coming of a message, and joins the two.
func (l *log) message(m moment) {
	_, rest, _ := strings.Cut(m.text, " ") // behind the arrow
	to, text, _ := strings.Cut(rest, " ")
	m.peer, m.text = address(to), text
	i := l.add(m)
	if m.kind == "send" {
		key := fmt.Sprint(m.who, m.peer, text)
		l.sent[key] = append(l.sent[key], i)
		return
	}
	key := fmt.Sprint(m.peer, m.who, text)
	if way := l.sent[key]; len(way) > 0 {
		l.all[i].cause = way[0]
		if len(way) > 1 { // the last one may come twice
			l.sent[key] = way[1:]
		}
	}
}

// listen takes an event.
func (l *log) listen(now time.Duration, e event.Event) {
	opinion := func(who sim.Addr, kind, format string, args ...any) int {
		return l.add(moment{at: now, local: l.localOf(who), who: who, kind: kind, text: fmt.Sprintf(format, args...)})
	}
	switch e := e.(type) {
	case event.FaultActs:
		l.strikes[l.add(moment{at: now, kind: acts})] = plan.Fault{Kind: e.Kind, N: e.N}
	case event.Started:
		opinion(sim.Addr(e.Replica), believes, "comes back in life %d, has promised %v, knows what was chosen below slot %d", e.Boot, e.Status.Promised, e.Status.FirstOpen)
		delete(l.leads, sim.Addr(e.Replica))
	case event.TenureChanged:
		who := sim.Addr(e.Replica)
		switch t := e.Tenure; {
		case t.Mine:
			l.leads[who] = opinion(who, believes, "takes itself for the leader at ballot %v", t.Ballot)
		case t.Leader == 0:
			l.leads[who] = opinion(who, believes, "knows of no leader")
		default:
			l.leads[who] = opinion(who, believes, "takes n%d for the leader at ballot %v", t.Leader, t.Ballot)
		}
	case event.Serves:
		opinion(sim.Addr(e.Replica), believes, "serves clients as the master of epoch %d", e.Epoch)
	case event.SnapshotInstalled:
		opinion(sim.Addr(e.Replica), believes, "has the rows of a snapshot of slot %d", e.Slot)
	case event.Durable:
		for _, r := range e.Records {
			opinion(sim.Addr(e.Replica), durable, "%v", r)
		}
	case event.Executed:
		l.add(moment{at: now, kind: executes, text: clip(executed(e), 170)})
	case event.SessionDialed:
		if _, known := l.clients[e.Client]; !known {
			l.order = append(l.order, e.Client)
		}
		l.clients[e.Client] = dialed{e.Status, e.Dead}
	case event.LockBelieved:
		opinion(e.Client, believes, "believes that it holds the lock of %v, %v", e.Node, e.Mode)
		l.held[e.Client] = append(l.held[e.Client], held{fmt.Sprint(e.Node), fmt.Sprint(e.Mode), now})
	case event.LockGivenUp:
		opinion(e.Client, believes, "counts on the lock of %v no more", e.Node)
		l.givesUp(e.Client, fmt.Sprint(e.Node))
	case event.CallEnded:
		outcome := "done"
		if e.Err != nil {
			outcome = e.Err.Error()
		}
		opinion(e.Client, believes, "(program %d) is told of %s: %s", e.Program, e.Call, clip(outcome, 100))
	case event.Left:
		if l.left == nil { // clients have their say while the world stands
			l.says = map[sim.Addr]string{}
			for _, a := range l.order {
				l.says[a] = l.client(a)
			}
		}
		l.left = append(l.left, e)
	}
}

// executed is a command in words: what it is, of which call, and in which slot.
func executed(e event.Executed) string {
	name := func(v any) string {
		_, last, _ := strings.Cut(fmt.Sprintf("%T", v), ".")
		return last
	}
	switch c := e.Command.Command.(type) {
	case command.NodeCommand:
		return fmt.Sprintf("%s as call %d of session %d, in slot %d and epoch %d: %+v", name(c.Op), c.Seq, c.Session, e.At.Slot, c.Guard, c.Op)
	case command.Call:
		return fmt.Sprintf("%s as call %d of session %d, in slot %d and epoch %d: %+v", name(c.Op), c.Seq, c.Session, e.At.Slot, c.Guard, c.Op)
	}
	return fmt.Sprintf("%s in slot %d: %+v", name(e.Command.Command), e.At.Slot, e.Command.Command)
}

func (l *log) givesUp(who sim.Addr, node string) {
	all := l.held[who]
	for i := range all {
		if all[i].node == node {
			l.held[who] = append(all[:i:i], all[i+1:]...)
			return
		}
	}
}

// localOf is the last reading of a machine's clock in the trace.
func (l *log) localOf(who sim.Addr) string {
	if i, ok := l.last[who]; ok {
		return l.all[i].local
	}
	return ""
}

// seconds reads a time of the trace.
func seconds(s string) time.Duration {
	d, _ := time.ParseDuration(s + "s")
	return d
}

// address reads the name of a machine in the trace.
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

// clip keeps a text to so many bytes.
func clip(s string, most int) string {
	if len(s) <= most {
		return s
	}
	return strings.ToValidUTF8(s[:most], "") + "..."
}
