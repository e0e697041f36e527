package moments

import (
	"fmt"
	"slices"
	"strings"

	"github.com/chubbycell/chubby/replica/api"
	"github.com/chubbycell/chubby/replica/state/command"
	"github.com/chubbycell/chubby/sim/describe"
	"github.com/chubbycell/chubby/sim/event"
)

// nameOf returns the name of the type of a command or an operation.
func nameOf(v any) string {
	_, last, _ := strings.Cut(fmt.Sprintf("%T", v), ".")
	return last
}

// call is the call that a command was made for.
type call struct {
	guard   api.Epoch
	session api.SessionID
	seq     api.Seq
	op      any
}

// callOf returns the call that a command was made for; false: it was made for none.
func callOf(c command.Command) (of call, ok bool) {
	switch c := c.(type) {
	case command.NodeCommand:
		return call{c.Guard, c.Session, c.Seq, c.Op}, true
	case command.Call:
		return call{c.Guard, c.Session, c.Seq, c.Op}, true
	}
	return call{}, false
}

// executed returns a command in words: what it is, of which call, in which slot, and its result.
func executed(e event.Executed) string {
	a := e.Command
	if a.Command == nil {
		what := "bytes that are no command"
		if c, err := command.Decode(e.Raw); err == nil {
			what = "as bytes that are no command what is " + Clip(proposed(c), 120)
		}
		return fmt.Sprintf("%s, in slot %d -> %s: %v", what, e.At.Slot, a.Verdict, a.Result.Code)
	}
	of, ok := callOf(a.Command)
	if !ok {
		begins := ""
		for _, x := range a.Effects {
			if x, ok := x.(command.EpochBegan); ok {
				begins = fmt.Sprintf(" -> epoch %d begins", x.Epoch.Number)
			}
		}
		return fmt.Sprintf("%s in slot %d%s: %+v", nameOf(a.Command), e.At.Slot, begins, a.Command)
	}
	answer := describe.Result(a.Result)
	if d, ok := a.Result.Detail.(api.Opened); ok { // the master has not made the token yet
		answer = fmt.Sprintf("%v %v, made: %t", a.Result.Code, d.Node, d.Created)
	}
	if a.Verdict != command.Executed {
		answer += ", " + a.Verdict.String()
	}
	return fmt.Sprintf("%s as call %d of session %d, in slot %d and epoch %d -> %s: %+v", nameOf(of.op), of.seq, of.session, e.At.Slot, of.guard, Clip(answer, 60), of.op)
}

// proposed returns a command in words before it is executed.
func proposed(c command.Command) string {
	if of, ok := callOf(c); ok {
		return fmt.Sprintf("%s as call %d of session %d: %+v", nameOf(of.op), of.seq, of.session, of.op)
	}
	return fmt.Sprintf("%s: %+v", nameOf(c), c)
}

// mostOpen bounds the commands that are remembered as proposed: those of a leader that lost its place are never executed.
const mostOpen = 64

func (l *Log) noteProposed(all []command.Command) {
	for _, c := range all {
		l.open = append(l.open, proposed(c))
	}
	l.open = l.open[max(0, len(l.open)-mostOpen):]
}

func (l *Log) noteExecuted(c command.Command) {
	if i := slices.Index(l.open, proposed(c)); i >= 0 {
		l.open = slices.Delete(l.open, i, i+1)
	}
}

// Open returns, in words, the commands that were proposed and that no replica has executed, in order. The last may be
// under way; earlier ones may be lost for good. A replica that breaks as it executes a command has not executed it.
func (l *Log) Open() []string { return l.open }
