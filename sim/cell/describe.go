package cell

import (
	"fmt"
	"strings"

	"github.com/chubbycell/chubby/paxos"
	"github.com/chubbycell/chubby/replica/api"
	"github.com/chubbycell/chubby/replica/host"
	"github.com/chubbycell/chubby/sim"
)

// Describe is the text of a message between two machines of a cell, for the
// human trace: the lines of golden traces between replicas, calls and answers
// between replicas and clients. Values are cut short.
func Describe(from, to sim.Addr, msg []byte) string {
	switch {
	case from.IsClient():
		q, err := api.DecodeRequest(msg)
		if err != nil {
			return unreadable(msg, err)
		}
		return fmt.Sprintf("call #%d session %d seq %d seen %d: %s", q.ID, q.Session, q.Seq, q.Seen, describeOp(q.Op))
	case to.IsClient():
		p, err := api.DecodeReply(msg)
		if err != nil {
			return unreadable(msg, err)
		}
		return fmt.Sprintf("answer #%d session %d seq %d epoch %d master %d: %s", p.ID, p.Session, p.Seq, p.Epoch, p.Master, describeResult(p.Result))
	}
	if host.IsTransfer(string(msg)) {
		m, err := host.DecodeTransfer(string(msg))
		if err != nil {
			return unreadable(msg, err)
		}
		return fmt.Sprint(m)
	}
	if r, ok := host.DecodeSumReport(string(msg)); ok {
		return fmt.Sprintf("sum of slot %d: %v", r.Slot, r.Sum)
	}
	m, err := paxos.DecodeMessage(string(msg))
	if err != nil {
		return unreadable(msg, err)
	}
	return fmt.Sprint(m)
}

func unreadable(msg []byte, err error) string {
	return fmt.Sprintf("%d bytes that are no message: %v", len(msg), err)
}

func describeOp(op api.Op) string {
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
	}
	return fmt.Sprintf("%T", op)
}

func describeResult(r api.Result) string {
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
	return b.String()
}

// clip quotes a string and keeps it to a line's length.
func clip(s string) string {
	const most = 40
	if len(s) <= most {
		return fmt.Sprintf("%q", s)
	}
	return fmt.Sprintf("%q+%d bytes", s[:most], len(s)-most)
}
