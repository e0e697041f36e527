package paxos

import (
	"fmt"
	"strings"
)

// Messages and records print as one line each. Golden traces, the traces of failing
// seeds and panics all show these lines. Nothing parses them.

func (m Prepare) String() string {
	return fmt.Sprintf("prepare %v boot %d from %d", m.Ballot, m.Boot, m.From)
}

func (m Promise) String() string {
	votes := " none"
	if len(m.Votes) > 0 {
		var b strings.Builder
		for i := range m.Votes {
			fmt.Fprintf(&b, " %v", m.Votes[i])
		}
		votes = b.String()
	}
	return fmt.Sprintf("promise %v boot %d %v votes%s open %d", m.Ballot, m.Boot, m.Page, votes, m.FirstOpen)
}

// String returns slot@ballot=value, or =lost for an unreadable value.
func (v Vote) String() string {
	if v.Lost {
		return fmt.Sprintf("%d@%v=lost", v.Slot, v.Ballot)
	}
	return fmt.Sprintf("%d@%v=%v", v.Slot, v.Ballot, v.Value)
}

func (m Accept) String() string {
	return fmt.Sprintf("accept %v boot %d slot %d %v", m.Ballot, m.Boot, m.Slot, m.Value)
}

func (m Accepted) String() string {
	return fmt.Sprintf("accepted %v boot %d slot %d", m.Ballot, m.Boot, m.Slot)
}

func (m Nack) String() string {
	slot := ""
	if m.Slot != 0 {
		slot = fmt.Sprintf(" slot %d", m.Slot)
	}
	return fmt.Sprintf("nack %v boot %d promised %v%s", m.Ballot, m.Boot, m.Promised, slot)
}

func (m LeaseRejection) String() string {
	slot := ""
	if m.Slot != 0 {
		slot = fmt.Sprintf(" slot %d", m.Slot)
	}
	return fmt.Sprintf("lease-rejection %v boot %d%s for %v", m.Ballot, m.Boot, slot, m.Left)
}

func (m Released) String() string { return fmt.Sprintf("released %v boot %d", m.Ballot, m.Boot) }

func (m Chosen) String() string { return fmt.Sprintf("chosen %v %v", m.Ballot, m.Slots) }

func (m Heartbeat) String() string {
	return fmt.Sprintf("heartbeat %v boot %d #%d open %d", m.Ballot, m.Boot, m.Seq, m.FirstOpen)
}

func (m HeartbeatReply) String() string {
	granted := ""
	if m.Granted {
		granted = " granted"
	}
	return fmt.Sprintf("alive %v boot %d #%d open %d%s", m.Ballot, m.Boot, m.Seq, m.FirstOpen, granted)
}

func (m Fetch) String() string { return fmt.Sprintf("fetch %v", m.Slots) }

func (m FetchReply) String() string {
	floor := ""
	if m.Floor > m.From {
		floor = fmt.Sprintf(" floor %d", m.Floor)
	}
	return fmt.Sprintf("fetched from %d %d values open %d%s", m.From, len(m.Values), m.FirstOpen, floor)
}

func (r Booted) String() string {
	if r.Grant > 0 {
		return fmt.Sprintf("booted %d grant %v", r.Boot, r.Grant)
	}
	return fmt.Sprintf("booted %d", r.Boot)
}

func (r Promised) String() string { return fmt.Sprintf("promised %v", r.Ballot) }
func (r Voted) String() string    { return fmt.Sprintf("voted %v slot %d %v", r.Ballot, r.Slot, r.Value) }
func (r Learned) String() string  { return fmt.Sprintf("learned slot %d %v", r.Slot, r.Value) }
func (r Settled) String() string  { return fmt.Sprintf("settled %v", r.Slots) }

func (r Unreadable) String() string { return fmt.Sprintf("unreadable %v slot %d", r.Ballot, r.Slot) }
func (r Unlearned) String() string  { return fmt.Sprintf("unlearned slot %d", r.Slot) }

// String returns the message and its receiver.
func (e Envelope) String() string { return fmt.Sprintf("%v -> %d", e.Message, e.To) }

// String returns the slot and its value.
func (e Entry) String() string { return fmt.Sprintf("slot %d %v", e.Slot, e.Value) }

// String returns "leads 2.1 from 7" if the node itself leads, and otherwise "follows 3 at 2.3" or
// "follows no leader".
func (t Tenure) String() string {
	switch {
	case t.Mine:
		return fmt.Sprintf("leads %v from %d", t.Ballot, t.From)
	case t.Leader == 0:
		return "follows no leader"
	}
	return fmt.Sprintf("follows %d at %v", t.Leader, t.Ballot)
}

// Lines describes the output of one node, one line for each thing to do, in the order append, sync,
// send, chosen, tenure, behind. It leaves out Wake, which differs in every line of a trace and
// shows nothing of the protocol. A message that goes to several nodes in a row is one line.
//
//	append #4 voted 2.1 slot 9 v1f2e3d4c
//	sync   #4
//	send   accept 2.1 boot 3 slot 9 v1f2e3d4c -> 2 3
//	chosen slot 9 v1f2e3d4c
//	tenure leads 2.1 from 7
func (o *Output) Lines() []string {
	var lines []string
	line := func(format string, args ...any) { lines = append(lines, fmt.Sprintf(format, args...)) }
	for i, r := range o.Append {
		line("append #%d %v", o.First+LSN(i), r)
	}
	if o.SyncTo > 0 {
		line("sync   #%d", o.SyncTo)
	}
	for i := 0; i < len(o.Send); {
		text, to := fmt.Sprint(o.Send[i].Message), ""
		for ; i < len(o.Send) && fmt.Sprint(o.Send[i].Message) == text; i++ {
			to += fmt.Sprintf(" %d", o.Send[i].To)
		}
		line("send   %s ->%s", text, to)
	}
	for _, e := range o.Chosen {
		line("chosen %v", e)
	}
	if o.Tenure != nil {
		line("tenure %v", *o.Tenure)
	}
	if o.Behind != nil {
		line("behind %v", *o.Behind)
	}
	return lines
}
