package story

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/chubbycell/chubby/replica/api"
	"github.com/chubbycell/chubby/replica/state/command"
	"github.com/chubbycell/chubby/sim"
	"github.com/chubbycell/chubby/sim/cell"
	"github.com/chubbycell/chubby/sim/plan"
)

func pathOf(name string) api.Path {
	path, err := api.ParsePath(name)
	if err != nil {
		panic(err)
	}
	return path
}

// stale is a run in which a client finds in its cache names in /d, which it has listed by one handle of two.
func stale(o plan.Options) cell.Result {
	c1 := sim.FirstClient
	at := time.Duration(0)
	moment := func(kind, text string) {
		at += ms
		line(o.Trace.W, 2, at, "c1", "3.000000000", kind, text)
	}
	moment("receive", "<- n1 answer #1 session 7 seq 1 epoch 3 master 1: ok haaaaaa is /d#5, made: true; instance 5 content 0 lock 5 acl 5")
	moment("receive", "<- n1 answer #2 session 7 seq 2 epoch 3 master 1: ok hbbbbbb is /d/e#6, made: true; instance 6 content 0 lock 6 acl 6")
	moment("send", "-> n1 call #3 session 7 seq 3 seen 2: 10 children of haaaaaa after \"\"")
	moment("send", "-> n1 call #4 session 7 seq 4 seen 2: children of hbbbbbb after \"\"")
	moment("send", "-> n1 call #5 session 7 seq 5 seen 2: contents of haaaaaa")
	moment("receive", "<- n1 answer #3 session 7 seq 3 epoch 3 master 1: ok 1 children: hot")
	moment("receive", "<- n1 answer #4 session 7 seq 4 epoch 3 master 1: ok 2 children: x, y")
	moment("receive", "<- n1 answer #5 session 7 seq 5 epoch 3 master 1: ok \"\"")
	remove := func(seq api.Seq, name string) {
		node := api.Ref{Path: pathOf(name), Instance: 8}
		executes(o, time.Duration(9+seq)*ms, 20+int64(seq), command.NodeCommand{Guard: 3, Session: 9, Seq: seq, Op: command.DeleteNode{Node: node}}, api.Result{Code: api.OK})
	}
	remove(1, "/d/x")
	return tells(o, cell.Breach{
		ID: "S12", Text: `client-1 finds in its cache names in /d instance 5, ["hot"], which is not there after any command from 9 to 9`,
		At: 20 * ms, Step: 9, On: c1,
	}, "3.020000000")
}

// A story of a stale cache tells which answer may have filled it, although the answer names neither the node nor the read, and
// which command has changed it since.
func TestAStoryOfACache(t *testing.T) {
	story := storyOf(stale)
	require.Contains(t, story, "c1 receives from n1: answer #3 session 7 seq 3 epoch 3 master 1: ok 1 children: hot\n")
	require.Contains(t, story, "  0.010 s  the log executes DeleteNode as call 1 of session 9, in slot 21", "a name in /d changes")
	require.NotContains(t, story, "answer #4 ")
	require.NotContains(t, story, "c1 receives from n1: answer #5 ")
}
