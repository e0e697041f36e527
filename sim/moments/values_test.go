package moments

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/chubbycell/chubby/paxos"
	"github.com/chubbycell/chubby/replica/api"
	"github.com/chubbycell/chubby/replica/state/command"
	"github.com/chubbycell/chubby/sim/plan"
)

// A call is followed into the value that carries its command, to the votes for that value, and back to the program. What else
// is in the value is shown; what else concerns that slot or these replicas is not.
func TestACallIsFollowedThroughTheLog(t *testing.T) {
	put := func(session, seq uint64, value string) []byte {
		return command.Append(nil, command.Call{Guard: 1, Session: api.SessionID(session), Seq: api.Seq(seq), Op: api.Put{Key: "k", Value: value}})
	}
	v := paxos.Batch(put(4, 3, "mine"), put(9, 1, "another's"))
	old := paxos.Batch(put(9, 2, "older"))
	var b bytes.Buffer
	o := plan.Options{Seed: 1}
	(&Printer{W: &b, Only: &Filter{About: "#77"}}).Watch(&o)
	header := b.Len()
	step := 0
	line := func(who, kind, text string) {
		step++
		fmt.Fprintf(o.Trace.W, "%9d %17s %8s %17s %-12s %s\n", step, "1.000000000", who, "5.000000000", kind, text)
	}
	between := func(m paxos.Message) string { return o.Trace.Describe(1, 2, paxos.AppendMessage(nil, m)) }
	ballot := paxos.Ballot{Round: 2, Node: 1}
	line("c1", "send", "-> n1 call #77 session 4 seq 3 seen 2 (epoch 1): put")
	line("n1", "send", "-> n2 "+between(paxos.Promise{Ballot: ballot, Votes: []paxos.Vote{{Slot: 5, Ballot: ballot, Value: old}}, Page: paxos.Range{From: 5, To: 6}}))
	line("n1", "send", "-> n2 "+between(paxos.Accept{Ballot: ballot, Boot: 3, Slot: 6, Value: v}))
	line("n1", "send", "-> n2 "+between(paxos.Accept{Ballot: ballot, Boot: 3, Slot: 7, Value: paxos.Noop}))
	line("n2", "durable", fmt.Sprintf("voted 2.1 slot 6 %v, record #9", v))
	line("n2", "send", "-> n1 accepted 2.1 boot 3 slot 6")
	line("n2", "send", "-> n1 accepted 2.1 boot 3 slot 61")
	line("c1", "told", "(program 1): put k, session 4 seq 3 returned: ok")
	line("c1", "told", "(program 1): put k, session 4 seq 31 returned: ok")

	var all []string
	for text := range strings.Lines(b.String()[header:]) {
		f := strings.Fields(text)
		all = append(all, f[0]+" "+f[4])
	}
	require.Equal(t, []string{"1 send", "3 value", "3 value", "3 send", "5 durable", "6 send", "8 told"}, all, b.String())
	require.Contains(t, b.String(), fmt.Sprintf("%v of slot 6, command 1 of 2: Put as call 3 of session 4: {Key:k Value:mine}", v))
	require.NotContains(t, b.String(), "older")
}

// A value is put into words once, before the first line that names it.
func TestAValueIsSaidOnce(t *testing.T) {
	var s values
	v := paxos.Batch(command.Append(nil, command.Call{Guard: 1, Session: 4, Seq: 3, Op: api.Put{Key: "k", Value: "x"}}), []byte("?"))
	accept := string(paxos.AppendMessage(nil, paxos.Accept{Ballot: paxos.Ballot{Round: 2, Node: 1}, Boot: 3, Slot: 6, Value: v}))
	s.note(accept)
	require.Empty(t, s.namedIn("another line"))
	require.Equal(t, []string{
		v.String() + " of slot 6, command 1 of 2: Put as call 3 of session 4: {Key:k Value:x}",
		v.String() + " of slot 6, command 2 of 2: bytes that are no command",
	}, s.namedIn("accept 2.1 boot 3 slot 6 "+v.String()))
	s.note(accept)
	s.note("bytes that are no message")
	require.Empty(t, s.namedIn(v.String()))
}
