package torture

import (
	"bufio"
	"fmt"
	"io"
	"maps"
	"os"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/cespare/xxhash/v2"

	"github.com/chubbycell/chubby/internal/boottime"
	"github.com/chubbycell/chubby/linearizability"
	"github.com/chubbycell/chubby/paxos"
	"github.com/chubbycell/chubby/replica/api"
	"github.com/chubbycell/chubby/replica/core"
	"github.com/chubbycell/chubby/replica/state/command"
)

// Applied writes down what a replica does, for a run to compare with what others do:
//
//	A SLOT SUM [SESSION SEQ CODE]...   it applied a slot, after which all rows have SUM; the
//	                                   calls are those that were executed, in order
//	E EPOCH TIME                       it applied the beginning of a mastership
//	R EPOCH TIME                       it answered a read without the log, as the master of
//	                                   that epoch, by a clock that it read at TIME; at most
//	                                   one such line a millisecond
//
// A line is written before the replica answers what it tells of, and a new life begins with
// an empty line. Times are of the clock that all processes of a machine share.
type Applied struct {
	w     io.Writer
	line  []byte
	epoch api.Epoch
	last  int64 // time of the newest R
}

// NewApplied returns an observer that writes to w, each line at once. Where it cannot be
// written the process ends: a witness with holes is none.
func NewApplied(w io.Writer) *Applied {
	a := &Applied{w: w, line: []byte{'\n'}}
	a.flush()
	return a
}

func (a *Applied) flush() {
	if _, err := a.w.Write(a.line); err != nil {
		panic(fmt.Sprintf("torture: cannot write the record of what is applied: %v", err))
	}
	a.line = a.line[:0]
}

// OnApplied implements core.Observer.
func (a *Applied) OnApplied(s core.Applied) {
	a.line = fmt.Appendf(a.line, "A %d %016x%016x", s.Slot, s.Sum.A, s.Sum.B)
	for i := range s.Commands {
		a.command(&s.Commands[i])
	}
	a.line = append(a.line, '\n')
	for _, c := range s.Commands {
		for _, e := range c.Effects {
			if b, ok := e.(command.EpochBegan); ok {
				a.epoch = b.Epoch.Number
				a.line = fmt.Appendf(a.line, "E %d %d\n", a.epoch, time.Now().UnixNano())
			}
		}
	}
	a.flush()
}

func (a *Applied) command(c *command.Applied) {
	if c.Verdict != command.Executed {
		return
	}
	switch by := c.Command.(type) {
	case command.Call:
		if by.Session != 0 { // it opens none
			a.line = fmt.Appendf(a.line, " %d %d %d", by.Session, by.Seq, c.Result.Code)
		}
	case command.NodeCommand:
		a.line = fmt.Appendf(a.line, " %d %d %d", by.Session, by.Seq, c.Result.Code)
	}
}

// OnRead implements core.Observer.
func (a *Applied) OnRead(r core.Read) {
	// The replica's clock has a suspension of the machine in it, which is not of one length for all
	// processes: how long ago it was read has one.
	now := time.Now()
	at := now.UnixNano() - int64(boottime.Now().Sub(r.Now))
	if at-a.last >= int64(time.Millisecond) {
		a.last = at
		a.line = fmt.Appendf(a.line, "R %d %d\n", a.epoch, at)
		a.flush()
	}
}

// OnInstalled implements core.Observer.
func (a *Applied) OnInstalled(core.Installed) {}

// OnTenure implements core.Observer.
func (a *Applied) OnTenure(paxos.Tenure) {}

// OnProposed implements core.Observer.
func (a *Applied) OnProposed([]byte) {}

// OnRefused implements core.Observer.
func (a *Applied) OnRefused([]byte) {}

// OnBegun implements core.Observer.
func (a *Applied) OnBegun([]byte) {}

// call names a call of a client.
type call struct {
	session api.SessionID
	seq     api.Seq
}

// effect is where a call was executed, and what it was answered.
type effect struct {
	at   linearizability.Position
	code api.Code
}

// isDone reports whether the call did what it was to do.
func (e effect) isDone() bool { return e.code == api.OK }

// order is what all replicas together have applied.
type order struct {
	slots map[paxos.Slot]applied
	calls map[call]effect
	top   paxos.Slot
	began map[api.Epoch]int64 // when a mastership was known to have begun, at the earliest
	reads map[master]int64    // the newest read that a master answered without the log
}

// master is a replica in an epoch.
type master struct {
	epoch   api.Epoch
	replica int
}

// applied is what was applied in a slot, in short.
type applied struct {
	replica int // that was read first
	hash    uint64
	sum     string // of all rows
}

func newOrder() *order {
	return &order{slots: map[paxos.Slot]applied{}, calls: map[call]effect{}, began: map[api.Epoch]int64{}, reads: map[master]int64{}}
}

// reader reads on in what one replica writes down.
type reader struct {
	replica int
	f       *os.File
	r       *bufio.Reader
	part    string // of a line
}

func openApplied(replica int, name string) (*reader, error) {
	f, err := os.Open(name)
	return &reader{replica: replica, f: f, r: bufio.NewReaderSize(f, 1<<20)}, err
}

// read adds what is new. It returns what is wrong, in words: two replicas, or two lives of
// one, did different things in one slot. A line without an end waits for it: its process may
// be writing it, or may have been killed.
func (o *order) read(from *reader) (broken string, err error) {
	for {
		text, err := from.r.ReadString('\n')
		from.part += text
		if err == io.EOF {
			return "", nil
		}
		if err != nil {
			return "", err
		}
		line := strings.TrimSuffix(from.part, "\n")
		if from.part = ""; line == "" {
			continue
		}
		if broken, err := o.add(from.replica, line); broken != "" || err != nil {
			return broken, err
		}
	}
}

func (o *order) add(replica int, line string) (broken string, err error) {
	kind, rest, _ := strings.Cut(line, " ")
	head, text, _ := strings.Cut(rest, " ")
	n, err := strconv.ParseUint(head, 10, 64)
	if err != nil {
		return "", fmt.Errorf("what replica %d did: %q", replica, line)
	}
	if kind == "A" {
		return o.slot(replica, paxos.Slot(n), text)
	}
	at, err := strconv.ParseInt(text, 10, 64)
	if err != nil {
		return "", fmt.Errorf("what replica %d did: %q", replica, line)
	}
	e := api.Epoch(n)
	switch was, ok := o.began[e]; {
	case kind == "R":
		m := master{e, replica}
		o.reads[m] = max(o.reads[m], at)
	case !ok || at < was:
		o.began[e] = at
	}
	return "", nil
}

// slot takes in what a replica says of a slot.
func (o *order) slot(replica int, slot paxos.Slot, text string) (broken string, err error) {
	sum, _, _ := strings.Cut(text, " ")
	if have, ok := o.slots[slot]; ok {
		if have.hash != xxhash.Sum64String(text) {
			return fmt.Sprintf("slot %d was applied in two ways: replica %d recorded the sum %s of its rows, and replica %d the sum %s; if the sums are equal, calls or their results differ; the files replica-N.applied have the details",
				slot, have.replica, have.sum, replica, sum), nil
		}
		return "", nil
	}
	o.slots[slot], o.top = applied{replica, xxhash.Sum64String(text), strings.Clone(sum)}, max(o.top, slot)
	fields := strings.Fields(text)[1:]
	for i := 0; i+2 < len(fields); i += 3 {
		var numbers [3]uint64
		for j := range numbers {
			if numbers[j], err = strconv.ParseUint(fields[i+j], 10, 64); err != nil {
				return "", fmt.Errorf("what replica %d applied in slot %d: %w", replica, slot, err)
			}
		}
		k := call{api.SessionID(numbers[0]), api.Seq(numbers[1])}
		e := effect{linearizability.Position{Slot: int64(slot), Index: int32(i / 3)}, api.Code(numbers[2])}
		if was, ok := o.calls[k]; ok {
			return fmt.Sprintf("call %d of session %d was executed twice, in slot %d and in slot %d", k.seq, k.session, was.at.Slot, slot), nil
		}
		o.calls[k] = e
	}
	return "", nil
}

// stale finds a read that a master answered without the log when a later mastership had begun
// (S7): a lease is there to make that impossible.
func (o *order) stale() string {
	epochs := slices.Sorted(maps.Keys(o.began))
	first := make([]int64, len(epochs)) // when this one or a later one was known to have begun
	for i := len(epochs) - 1; i >= 0; i-- {
		if first[i] = o.began[epochs[i]]; i+1 < len(epochs) {
			first[i] = min(first[i], first[i+1])
		}
	}
	for r, at := range o.reads { // order-free: any will do
		i, found := slices.BinarySearch(epochs, r.epoch)
		if found {
			i++
		}
		if i < len(epochs) && at > first[i] {
			return fmt.Sprintf("replica %d, the master of epoch %d, answered a read without the log by a clock reading from %v after a later epoch had begun (epoch %d or later)",
				r.replica, r.epoch, time.Duration(at-first[i]), epochs[i])
		}
	}
	return ""
}

// holes counts the slots below the top that no replica has written down.
func (o *order) holes() int { return int(o.top) - len(o.slots) }
