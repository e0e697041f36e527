package describe

import (
	"fmt"
	"strings"
	"time"

	"github.com/cespare/xxhash/v2"

	"github.com/chubbycell/chubby/paxos"
	"github.com/chubbycell/chubby/replica/api"
	"github.com/chubbycell/chubby/replica/driver"
	"github.com/chubbycell/chubby/sim"
	"github.com/chubbycell/chubby/sim/resource"
)

// Message returns the text of a message between two machines of a cell, for traces that people read. Messages between
// replicas look as in golden traces. Long values are clipped. Bytes that are not a message are described as such.
func Message(from, to sim.Addr, msg []byte) string {
	switch {
	case from.IsClient() && to.IsClient():
		return resource.Describe(msg)
	case from.IsClient():
		q, err := api.DecodeRequest(msg)
		if err != nil {
			return unreadable(msg, err)
		}
		return fmt.Sprintf("call #%d session %d seq %d seen %d (epoch %d): %s", q.ID, q.Session, q.Seq, q.AckedThrough, q.Epoch, Op(q.Op))
	case to.IsClient():
		p, err := api.DecodeReply(msg)
		if err != nil {
			return unreadable(msg, err)
		}
		text := fmt.Sprintf("answer #%d session %d seq %d epoch %d master %d: %s", p.ID, p.Session, p.Seq, p.Epoch, p.Master, Result(p.Result))
		if p.Cacheable {
			text += fmt.Sprintf(", cacheable, after drop #%d", p.Drops)
		}
		return text
	}
	if driver.IsTransfer(string(msg)) {
		m, err := driver.DecodeTransfer(string(msg))
		if err != nil {
			return unreadable(msg, err)
		}
		return fmt.Sprint(m)
	}
	if r, ok := driver.DecodeSumReport(string(msg)); ok {
		return fmt.Sprintf("sum of slot %d: %v", r.Slot, r.Sum)
	}
	m, err := paxos.DecodeMessage(string(msg))
	if err != nil {
		return unreadable(msg, err)
	}
	return fmt.Sprint(m)
}

func unreadable(msg []byte, err error) string {
	return fmt.Sprintf("%d bytes that are not a message: %v", len(msg), err)
}

// Op returns the text of an operation. Long values are clipped, and tokens are shortened.
func Op(op api.Op) string {
	switch op := op.(type) {
	case api.OpenSession:
		return fmt.Sprintf("open session %v", op.Nonce)
	case api.EndSession:
		return "end session"
	case api.Get:
		return "get " + clip(op.Key)
	case api.Put:
		return fmt.Sprintf("put %s = %s", clip(op.Key), clip(op.Value))
	case api.Delete:
		return "delete " + clip(op.Key)
	case api.CompareAndSet:
		expect := "absent"
		if !op.Absent {
			expect = clip(op.Expect)
		}
		return fmt.Sprintf("compare-and-set %s from %s to %s", clip(op.Key), expect, clip(op.Value))
	case api.List:
		return "list " + clip(op.Prefix)
	case api.KeepAlive:
		text := fmt.Sprintf("keep-alive flushed %d, %d tokens", op.AckedEpoch, len(op.Tokens))
		if op.AckedEvents != 0 {
			text += fmt.Sprintf(", acknowledges events to #%d", op.AckedEvents)
		}
		if op.Now {
			text += ", answer at once"
		}
		return text
	}
	return describeNodeOp(op)
}

func describeNodeOp(op api.Op) string {
	switch op := op.(type) {
	case api.Open:
		verb := fmt.Sprintf("open in mode %d", op.Create) // garbled bytes may have any mode
		if verbs := [...]string{api.CreateNever: "open", api.CreateMay: "open or make", api.CreateMust: "make"}; int(op.Create) < len(verbs) {
			verb = verbs[op.Create]
		}
		if op.Dir != "" {
			return fmt.Sprintf("%s %s below %s%s", verb, clip(op.Path), short(op.Dir), terms(op))
		}
		return fmt.Sprintf("%s %s%s", verb, clip(op.Path), terms(op))
	case api.CloseHandle:
		return "close " + short(op.Handle)
	case api.Poison:
		return "poison " + short(op.Handle)
	case api.GetContents:
		return "contents of " + short(op.Handle)
	case api.GetStat:
		return "stat of " + short(op.Handle)
	case api.ReadDir:
		what := "children"
		if op.Most > 0 {
			what = fmt.Sprintf("%d children", op.Most)
		}
		return fmt.Sprintf("%s of %s after %q", what, short(op.Handle), op.After)
	case api.SetContents:
		return fmt.Sprintf("set contents of %s if %d to %s", short(op.Handle), op.When, clip(op.Contents))
	case api.SetACL:
		return fmt.Sprintf("set ACL of %s if %d to %v", short(op.Handle), op.When, op.Names)
	case api.DeleteNode:
		return "delete " + short(op.Handle)
	case api.Acquire:
		wait := map[bool]string{true: "acquire", false: "try"}[op.Wait]
		return fmt.Sprintf("%s %v by %s", wait, op.Mode, short(op.Handle))
	case api.Release:
		return fmt.Sprintf("release %d by %s", op.Acquisition, short(op.Handle))
	case api.CancelAcquire:
		return fmt.Sprintf("cancel acquire seq %d by %s", op.Call, short(op.Handle))
	case api.GetSequencer:
		return "sequencer of " + short(op.Handle)
	case api.SetSequencer:
		return fmt.Sprintf("attach %s to %s", sequencer(op.Sequencer), short(op.Handle))
	case api.CheckSequencer:
		return fmt.Sprintf("check %s by %s", sequencer(op.Sequencer), short(op.Handle))
	}
	return fmt.Sprintf("%T", op)
}

// terms says what an Open asks for beside the node.
func terms(op api.Open) string {
	text := ""
	if op.Ephemeral {
		text += ", ephemeral"
	}
	if op.Delay != 0 {
		text += fmt.Sprintf(", lock-delay %v", time.Duration(op.Delay)*time.Millisecond)
	}
	return text
}

// sequencer returns what a sequencer in a message says.
func sequencer(text string) string {
	q, err := api.ParseSequencer(text)
	if err != nil {
		return "a malformed sequencer"
	}
	return fmt.Sprintf("sequencer %v", q)
}

// short returns a short text that tells a token from others. Tokens are long, and mean nothing to people.
func short(t api.Token) string { return fmt.Sprintf("h%06x", xxhash.Sum64String(string(t))>>40) }

// Result returns the text of a result. Long values and lists are clipped.
func Result(r api.Result) string {
	var b strings.Builder
	b.WriteString(r.Code.String())
	if r.Session != 0 {
		fmt.Fprintf(&b, " session %d", r.Session)
	}
	if r.Found {
		fmt.Fprintf(&b, " value %s", clip(r.Value))
	}
	for i, p := range r.Pairs {
		if i == 8 {
			fmt.Fprintf(&b, " and %d more", len(r.Pairs)-i)
			break
		}
		fmt.Fprintf(&b, " %s=%s", clip(p.Key), clip(p.Value))
	}
	b.WriteString(describeDetail(r.Detail))
	return b.String()
}

func describeDetail(d api.Detail) string {
	switch d := d.(type) {
	case api.Opened:
		return fmt.Sprintf(" %s is %v, made: %t;%s", short(d.Token), d.Node, d.Created, describeDetail(api.NodeStat{Stat: d.Stat}))
	case api.NodeStat:
		return fmt.Sprintf(" instance %d content %d lock %d acl %d", d.Stat.Instance, d.Stat.Content, d.Stat.Lock, d.Stat.ACL)
	case api.Listing:
		return fmt.Sprintf(" %d children%s", len(d.Children), names(d.Children))
	case api.Held:
		return fmt.Sprintf(" generation %d acquisition %d", d.Gen, d.Acquisition)
	case api.Sequenced:
		return fmt.Sprintf(" %v", d.Sequencer)
	case api.Leased:
		text := fmt.Sprintf(" lease %v failover %t", d.Lease, d.Failover)
		for i, e := range d.Events {
			if i == 4 {
				return text + fmt.Sprintf(" and %d events more", len(d.Events)-i)
			}
			text += fmt.Sprintf(" event #%d %v", d.LastEvent-api.EventNumber(len(d.Events)-1-i), e)
		}
		return text
	}
	return ""
}

// clip quotes a string, or its first 40 bytes.
func clip(s string) string {
	const most = 40
	if len(s) <= most {
		return fmt.Sprintf("%q", s)
	}
	return fmt.Sprintf("%q+%d bytes", s[:most], len(s)-most)
}

// names lists the first children of a directory after a colon.
func names(all []api.Child) string {
	const most = 5
	text := ""
	for i, c := range all {
		switch {
		case i == most:
			return text + ", ..."
		case i == 0:
			text = ": " + c.Name
		default:
			text += ", " + c.Name
		}
	}
	return text
}
