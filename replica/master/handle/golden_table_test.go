package handle_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/cockroachdb/datadriven"
	"github.com/stretchr/testify/require"

	"github.com/chubbycell/chubby/replica/api"
	"github.com/chubbycell/chubby/replica/master/handle"
)

// scripted is a table of epoch 5, with room for two handles of a session and four in all, and its tokens by
// name. "now" is the handle that call 1 of session 1 opens. The others were given out in epoch 4, except
// "future", which names epoch 6.
type scripted struct {
	t      *testing.T
	table  *handle.Table
	tokens map[string]api.Token
}

var all = []string{"now", "old", "older", "oldest", "theirs", "future", "next", "forged", "cut"}

func newScripted(t *testing.T) *scripted {
	s := sealer(t, secret)
	d := &scripted{t: t, table: handle.New(5, s, handle.Limits{PerSession: 2, Total: 4, Closed: 2}), tokens: map[string]api.Token{}}
	made := func(epoch api.Epoch, counter uint64, session api.SessionID) api.Token {
		h := sample(t)
		h.ID, h.Session, h.Fence = api.HandleID{Epoch: epoch, Counter: counter}, session, api.Sequencer{}
		return s.Seal(h)
	}
	d.tokens["old"], d.tokens["older"], d.tokens["oldest"] = made(4, 3, 1), made(4, 2, 1), made(4, 1, 1)
	d.tokens["theirs"], d.tokens["future"], d.tokens["next"] = made(4, 9, 2), made(6, 1, 1), made(5, 99, 1)
	d.tokens["forged"] = d.tokens["old"][:len(d.tokens["old"])-1] + "x"
	d.tokens["cut"] = d.tokens["old"][:50]
	d.tokens["now"] = d.tokens["old"] // until call 1 has opened it
	return d
}

// open is an Open by a call of a session.
func (d *scripted) open(session api.SessionID, seq, seen api.Seq) (api.Token, handle.Verdict) {
	token, h, v := d.table.Open(handle.Opening{
		Session: session, Seq: seq, Seen: seen, Node: sample(d.t).Node, Kind: api.File, Ephemeral: true,
		Rights: api.RightRead | api.RightWrite, Delay: 5000,
	})
	require.Equal(d.t, v == handle.Good, token != "")
	require.Equal(d.t, v == handle.Good, h.Valid())
	return token, v
}

func (d *scripted) do(line string) string {
	w := strings.Fields(line)
	t := d.table
	switch w[0] {
	case "open":
		var seq, seen api.Seq
		_, err := fmt.Sscan(w[1]+" "+w[2], &seq, &seen)
		require.NoError(d.t, err)
		token, v := d.open(1, seq, seen)
		if v == handle.Good && seq == 1 {
			d.tokens["now"] = token
		}
		return v.String()
	case "end":
		var ended []string
		for _, c := range t.EndSession(1) {
			ended = append(ended, fmt.Sprintf("(%v last %t)", c.Handle.ID, c.Last))
		}
		return strings.Join(append([]string{"done"}, ended...), " ")
	}
	token := d.tokens[w[1]]
	switch w[0] {
	case "use":
		_, v := t.Use(1, token)
		return v.String()
	case "recreate":
		h, v := t.Recreate(1, token)
		require.True(d.t, v != handle.Good || h.Rights == api.RightRead|api.RightWrite)
		return v.String()
	case "close":
		c, v := t.Close(1, token)
		if v == handle.Good {
			return fmt.Sprintf("%v last %t", v, c.Last)
		}
		return v.String()
	case "poison":
		return t.Poison(1, token).String()
	case "attach":
		fenced, v := t.Attach(1, token, sample(d.t).Fence)
		require.Equal(d.t, v == handle.Good, fenced != "")
		return v.String()
	}
	require.Fail(d.t, "no such operation", line)
	return ""
}

// show prints the verdict about every token, and the counts.
func (d *scripted) show() string {
	var b strings.Builder
	for _, name := range all {
		_, v := d.table.Use(1, d.tokens[name])
		fmt.Fprintf(&b, "%s %v, ", name, v)
	}
	fmt.Fprintf(&b, "%d open, %d on the node", d.table.Len(), d.table.CountOpen(sample(d.t).Node))
	return b.String()
}

// TestEveryStateMeetsEveryOperation holds testdata/states.txt.
func TestEveryStateMeetsEveryOperation(t *testing.T) {
	operations := []string{
		"open 1 0", "open 2 0", "open 3 2", "use now", "recreate now", "poison now", "attach now", "close now",
		"use old", "recreate old", "poison old", "attach old", "close old",
		"recreate theirs", "close theirs", "recreate future", "close next", "poison forged", "recreate cut", "end",
	}
	datadriven.RunTest(t, "testdata/states.txt", func(t *testing.T, td *datadriven.TestData) string {
		require.Equal(t, "state", td.Cmd)
		var out strings.Builder
		for _, line := range operations {
			d := newScripted(t)
			for _, before := range strings.Split(td.Input, "\n") {
				if before != "" {
					d.do(before)
				}
			}
			was := d.show()
			if out.Len() == 0 {
				fmt.Fprintf(&out, "%s\n", was)
			}
			said := d.do(line)
			require.NoError(t, d.table.Audit())
			fmt.Fprintf(&out, "%-16s %s%s\n", line, said, difference(was, d.show()))
		}
		return out.String()
	})
}

// difference lists the items of now that are not in was.
func difference(was, now string) string {
	var parts []string
	before := strings.Split(was, ", ")
	for i, item := range strings.Split(now, ", ") {
		if item != before[i] {
			parts = append(parts, item)
		}
	}
	if len(parts) == 0 {
		return ""
	}
	return " | " + strings.Join(parts, ", ")
}
