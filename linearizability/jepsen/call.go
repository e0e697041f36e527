package jepsen

import (
	"fmt"
	"slices"

	"github.com/chubbycell/chubby/linearizability/edn"
	"github.com/chubbycell/chubby/linearizability/history"
)

// Call is an operation, from its invocation to its end.
type Call struct {
	Process int64
	F       string // name of the operation, without its colon
	Key     edn.Value
	Name    string    // text of Key; keys that are not equal have different names
	Keyed   bool      // there is a key
	Ask     edn.Value // value of the invocation
	Answer  edn.Value // value of the end, if there is one
	Outcome history.Outcome
	Error   bool // the end has an error
	// From and To are the event numbers of the invocation and the end. To is history.Never if the outcome is unknown.
	From, To         int64
	FromTime, ToTime int64 // nanoseconds; 0: unknown
	Line, EndLine    int   // in the file; EndLine is 0 if there is no end
}

// Error says where a history is wrong.
type Error struct {
	Line  int
	Field string // "" if the line as a whole is wrong
	Err   error
}

// Error names line and field.
func (e *Error) Error() string {
	if e.Field == "" {
		return fmt.Sprintf("line %d: %v", e.Line, e.Err)
	}
	return fmt.Sprintf("line %d: %s: %v", e.Line, e.Field, e.Err)
}

// Unwrap returns Err.
func (e *Error) Unwrap() error { return e.Err }

func fault(line int, field, format string, args ...any) error {
	return &Error{line, field, fmt.Errorf(format, args...)}
}

// event is an invocation or an end.
type event struct {
	process        int64
	kind, f        string
	key, value     edn.Value
	keyed, failure bool
	time           int64
	index          int64 // in the history, as the file says; negative: it does not
	line           int
}

// book joins invocations and ends to calls.
type book struct {
	calls []Call
	open  map[int64]int // by process: the index of its call that has not ended, plus one
	count int64         // of events
	most  int           // calls

	index     int64 // the last one
	indexLine int   // where it is; 0: no event had any
}

func newBook(most int) *book { return &book{open: make(map[int64]int), most: most} }

func (b *book) add(e *event) error {
	if e.index >= 0 {
		if b.indexLine > 0 && e.index < b.index {
			return fault(e.line, ":index", "%d, behind %d of line %d: a history has the events of one run, in the order of their indexes",
				e.index, b.index, b.indexLine)
		}
		b.index, b.indexLine = e.index, e.line
	}
	b.count++
	i := b.open[e.process] - 1
	if e.kind == "invoke" {
		if i >= 0 {
			return fault(e.line, ":process", "%d invokes %s while its %s of line %d is open", e.process, e.f, b.calls[i].F, b.calls[i].Line)
		}
		if len(b.calls) == b.most {
			return fault(e.line, "", "more than %d operations", b.most)
		}
		b.calls = append(b.calls, Call{
			Process: e.process, F: e.f, Key: e.key, Keyed: e.keyed, Ask: e.value, Outcome: history.OutcomeUnknown,
			From: b.count, To: history.Never, FromTime: e.time, Line: e.line,
		})
		b.open[e.process] = len(b.calls)
		return nil
	}
	if i < 0 {
		return fault(e.line, ":type", ":%s of process %d, which has invoked nothing", e.kind, e.process)
	}
	delete(b.open, e.process)
	return b.calls[i].end(e, b.count)
}

// end sets the end of a call, which is event number at.
func (c *Call) end(e *event, at int64) error {
	if e.f != c.F {
		return fault(e.line, ":f", "process %d ends %s, and invoked %s on line %d", e.process, e.f, c.F, c.Line)
	}
	if e.keyed && (!c.Keyed || !e.key.Equal(&c.Key)) {
		return fault(e.line, ":key", "%s, and on line %d %s", e.key, c.Line, c.Key)
	}
	c.Answer, c.EndLine, c.Error = e.value, e.line, e.failure
	switch e.kind {
	case "ok":
		c.Outcome, c.To, c.ToTime = history.OutcomeOK, at, e.time
	case "fail":
		c.Outcome, c.To, c.ToTime = history.OutcomeFailed, at, e.time
	}
	return nil
}

// finish returns the calls, with their keys.
func (b *book) finish() ([]Call, error) {
	if err := b.allKeyed(); err != nil {
		return nil, err
	}
	if err := b.split(); err != nil {
		return nil, err
	}
	return b.calls, b.name()
}

// name sets the names of keys: for a string its contents, for others the canonical form. If two different keys would
// have the same name, such as 1 and "1", all keys get their canonical forms.
func (b *book) name() error {
	keys, twice := map[string]string{}, false
	for i := range b.calls {
		c := &b.calls[i]
		if !c.Keyed {
			continue
		}
		if c.Key.Kind == edn.Nil {
			return fault(c.Line, ":key", "nil where a key belongs")
		}
		form := c.Key.Canonical()
		if c.Name = form; isString(&c.Key) {
			c.Name = c.Key.Text
		}
		other, named := keys[c.Name]
		twice = twice || named && other != form
		keys[c.Name] = form
	}
	for i := range b.calls {
		if c := &b.calls[i]; c.Keyed && twice {
			c.Name = c.Key.Canonical()
		}
	}
	return nil
}

// allKeyed refuses calls without a key beside calls with one: they would be judged as those of one more key.
func (b *book) allKeyed() error {
	keyed := slices.IndexFunc(b.calls, func(c Call) bool { return c.Keyed })
	if keyed < 0 {
		return nil
	}
	for i := range b.calls {
		if c := &b.calls[i]; !c.Keyed {
			return fault(c.Line, ":key", "missing, and line %d has one", b.calls[keyed].Line)
		}
	}
	return nil
}

// split moves keys from values to Key, if all calls have pairs of key and value.
func (b *book) split() error {
	for i := range b.calls {
		c := &b.calls[i]
		pair := c.Ask
		if c.Keyed {
			return nil
		}
		if !isPair(&pair) || c.F == "cas" && !isPair(&pair.Items[1]) {
			return b.noneSplit(c)
		}
	}
	for i := range b.calls {
		c := &b.calls[i]
		c.Key, c.Keyed, c.Ask = c.Ask.Items[0], true, c.Ask.Items[1]
		if c.Outcome == history.OutcomeUnknown {
			continue
		}
		if !isPair(&c.Answer) || !c.Answer.Items[0].Equal(&c.Key) {
			if c.Outcome == history.OutcomeFailed {
				continue
			}
			return fault(c.EndLine, ":value", "%s is no pair of the key %s and a value, as on line %d", &c.Answer, &c.Key, c.Line)
		}
		c.Answer = c.Answer.Items[1]
	}
	return nil
}

// noneSplit refuses calls that can only have pairs of key and value if a call has none. Without their keys they would
// be judged as calls on one object.
func (b *book) noneSplit(without *Call) error {
	for i := range b.calls {
		if c := &b.calls[i]; isPair(&c.Ask) && c.Ask.Items[1].Kind == edn.Nil && slices.Contains(valueless, c.F) {
			return fault(without.Line, ":value", "%s is no pair of a key and a value, and %s of line %d is one", clip(without.Ask.String()), clip(c.Ask.String()), c.Line)
		}
	}
	return nil
}

// valueless are the operations that are invoked without a value.
var valueless = []string{"read", "get", "dequeue", "acquire", "release", "lock", "unlock"}

func isString(v *edn.Value) bool { return v.Kind == edn.String && v.Tag == "" }

func isPair(v *edn.Value) bool { return v.Kind == edn.Vector && len(v.Items) == 2 }
