package moments

import (
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/chubbycell/chubby/sim"
	"github.com/chubbycell/chubby/sim/describe"
	"github.com/chubbycell/chubby/sim/event"
	"github.com/chubbycell/chubby/sim/plan"
)

// Printer prints a run for people: a header, the lines of the trace with faults in words, and
// between them what machines believe and which records become durable.
type Printer struct {
	W    io.Writer
	Only *Filter // nil: every line

	log  *Log
	said values
	step uint64 // event of the last line of the trace
	err  error
	from uint64   // the first event that is printed
	to   uint64   // the last one; 0: no end
	node sim.Addr // the machine whose lines are printed; 0: all
}

// Watch prints the header of a run of o, and makes p the trace and the listener of that run. The bounds in o.Trace stay
// in force.
func (p *Printer) Watch(o *plan.Options) {
	p.log, p.from, p.to, p.node = NewLog(), o.Trace.From, o.Trace.Until, o.Trace.Node
	pl := plan.New(*o)
	for _, line := range Header(&pl) {
		p.print("# " + line + "\n")
	}
	o.Trace.W, o.Trace.Describe, o.Trace.Made, o.Listen = p, p.describe, p.log.sees(o.Trace.Made), p.listen
}

// WatchWorld makes p the writer of the trace of a world without a cell. It prints head and the names of the columns
// first. t.W is replaced; the bounds in t stay in force.
func (p *Printer) WatchWorld(t *sim.Trace, head string) {
	p.log = NewLog()
	for _, line := range []string{head, columns} {
		p.print("# " + line + "\n")
	}
	t.W = p
}

// columns names the columns of a trace.
var columns = fmt.Sprintf("%7s %17s %8s %17s %-12s %s", "event", "true time", "machine", "its local time", "kind", "text")

// Header returns the lines that describe a run: its plan, and the columns of its trace.
func Header(p *plan.Plan) []string {
	all := []string{fmt.Sprintf("seed %d: %d replicas, %d clients (%s), %v with faults", p.Seed, p.Replicas, p.Clients, p.Workload, p.Duration)}
	if roles := plan.RolesInWords(p); roles != "" {
		all = append(all, "roles: "+roles)
	}
	for _, o := range plan.OthersOf(p) {
		all = append(all, fmt.Sprintf("%v is %s", o.Addr, o.What))
	}
	lease := p.Driver.Core.Paxos.Lease.Grant
	if lease == 0 {
		all = append(all, "no master leases: each read takes a round of the log")
	} else {
		all = append(all, fmt.Sprintf("master leases of %v", lease))
	}
	if p.Script != nil {
		all = append(all, fmt.Sprintf("scripted faults: %d", len(p.Script.Faults())))
		if n := p.Script.LinkDraws; n != 0 {
			all = append(all, fmt.Sprintf("other delays of messages: set %d", n))
		}
	} else {
		var kinds []string
		for _, f := range p.Faults {
			kinds = append(kinds, fmt.Sprintf("%s (every %v)", f.Name, f.Mean.Round(10*time.Millisecond)))
		}
		all = append(all, "faults that may strike: "+strings.Join(kinds, ", "))
	}
	for _, name := range p.Standing() {
		all = append(all, fmt.Sprintf("always: %s, %s", name, plan.StandingHelp(name)))
	}
	return append(all, columns)
}

// Write takes whole lines of the trace. Once W fails, each further Write returns that error.
func (p *Printer) Write(lines []byte) (int, error) {
	for line := range strings.Lines(string(lines)) {
		first := len(p.log.All)
		p.log.line(line)
		m := Moment{Text: line}
		if len(p.log.All) > first {
			m = p.log.All[first]
			p.step = m.Step
		}
		p.printValues(line)
		if words := m.Words(); m.Kind == "fault" && m.Who != 0 && words != m.Text {
			line = p.form(&m, words)
		}
		if p.Only == nil || p.Only.takes(line) {
			p.print(line)
		}
	}
	return len(lines), p.err
}

// describe returns the text of a message, and notes the values that it carries.
func (p *Printer) describe(from, to sim.Addr, msg []byte) string {
	if !from.IsClient() && !to.IsClient() {
		p.said.note(string(msg))
	}
	return describe.Message(from, to, msg)
}

// printValues prints what is in the values that a line of the trace is the first to name.
func (p *Printer) printValues(line string) {
	for _, text := range p.said.namedIn(line) {
		m := Moment{Step: p.step, At: Seconds(strings.Fields(line)[1]), Kind: carried, Text: text}
		if line := p.form(&m, text); p.Only == nil || p.Only.takes(line) {
			p.print(line)
		}
	}
}

// listen takes an event, and prints what it adds to the trace.
func (p *Printer) listen(now time.Duration, e event.Event) {
	first := len(p.log.All)
	p.log.Listen(now, e)
	for i := first; i < len(p.log.All); i++ {
		m := &p.log.All[i]
		if m.Step == 0 {
			m.Step = p.step
		}
		text := m.Text
		if m.Kind == Acts {
			f, _ := p.log.Fault(i)
			text = f.String()
		}
		if p.node != 0 && m.Who != p.node || m.Step < p.from || p.to > 0 && m.Step > p.to {
			continue
		}
		if line := p.form(m, text); p.Only == nil || p.Only.takes(line) {
			p.print(line)
		}
	}
}

// form returns a line in the format of a world's trace.
func (p *Printer) form(m *Moment, text string) string {
	local := m.Local
	if local == "" {
		local = "-"
	}
	return fmt.Sprintf("%9d %17s %8s %17s %-12s %s\n", m.Step, stamp(m.At), m.Who, local, m.Kind, strings.ReplaceAll(text, "\n", "\\n"))
}

func (p *Printer) print(line string) {
	if p.err == nil {
		_, p.err = io.WriteString(p.W, line)
	}
}
