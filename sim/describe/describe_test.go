package describe

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/chubbycell/chubby/db"
	"github.com/chubbycell/chubby/paxos"
	"github.com/chubbycell/chubby/replica/api"
	"github.com/chubbycell/chubby/replica/core"
	"github.com/chubbycell/chubby/replica/driver"
	"github.com/chubbycell/chubby/sim"
)

func TestCallsAreDescribed(t *testing.T) {
	for want, op := range map[string]api.Op{
		"open session 00000000000000010000000000000002": api.OpenSession{Nonce: api.Nonce{1, 2}},
		"end session":     api.EndSession{},
		`get "k"`:         api.Get{Key: "k"},
		`put "k" = "v\n"`: api.Put{Key: "k", Value: "v\n"},
		`delete "k"`:      api.Delete{Key: "k"},
		`list "g/"`:       api.List{Prefix: "g/"},
		`put "k" = "` + strings.Repeat("x", 40) + `"+60 bytes`: api.Put{Key: "k", Value: strings.Repeat("x", 100)},
		`compare-and-set "k" from absent to "v"`:               api.CompareAndSet{Key: "k", Absent: true, Value: "v"},
		`compare-and-set "k" from "u" to "v"`:                  api.CompareAndSet{Key: "k", Expect: "u", Value: "v"},
	} {
		q := api.Request{ID: 9, Session: 4, Seq: 3, AckedThrough: 2, Epoch: 5, Op: op}
		got := Message(sim.FirstClient, 1, api.AppendRequest(nil, q))
		require.Equal(t, "call #9 session 4 seq 3 seen 2 (epoch 5): "+want, got)
	}
}

// An Open that a hostile client has garbled is described with its meaningless mode.
func TestGarbledOpensAreDescribed(t *testing.T) {
	wire := api.AppendRequest(nil, api.Request{Session: 1, Seq: 1, Op: api.Open{Path: "/f", Create: 207}})
	require.Contains(t, Message(sim.FirstClient, 1, wire), "open in mode 207 ")
}

func TestAnswersAreDescribed(t *testing.T) {
	pairs := make([]api.Pair, 10)
	for want, r := range map[string]api.Result{
		"OK":                 {Code: api.OK},
		"OK session 5":       {Code: api.OK, Session: 5},
		`Conflict value "v"`: {Code: api.Conflict, Found: true, Value: "v"},
		`OK "a"="b"`:         {Code: api.OK, Pairs: []api.Pair{{Key: "a", Value: "b"}}},
		"OK" + strings.Repeat(` ""=""`, 8) + " and 2 more": {Code: api.OK, Pairs: pairs},
	} {
		p := api.Reply{ID: 9, Session: 4, Seq: 3, Epoch: 2, Master: 1, Result: r}
		got := Message(1, sim.FirstClient, api.AppendReply(nil, p))
		require.Equal(t, strings.ToLower("answer #9 session 4 seq 3 epoch 2 master 1: "+want), strings.ToLower(got))
	}
}

func TestAnOpenSaysWhatItAsksFor(t *testing.T) {
	for want, op := range map[string]api.Open{
		`open or make "/f"`:                       {Path: "/f", Create: api.CreateMay},
		`make "/f", ephemeral, lock-delay 1.372s`: {Path: "/f", Create: api.CreateMust, Ephemeral: true, Delay: 1372},
	} {
		require.Equal(t, want, Op(op))
	}
}

func TestACacheableAnswerSaysSo(t *testing.T) {
	p := api.Reply{ID: 9, Session: 4, Seq: 3, Epoch: 2, Master: 1, Result: api.Result{Code: api.NotFound}, Cacheable: true, Drops: 5}
	require.Equal(t, "answer #9 session 4 seq 3 epoch 2 master 1: not-found, cacheable, after drop #5", Message(1, sim.FirstClient, api.AppendReply(nil, p)))
}

func TestReplicasTalkAsInGoldenTraces(t *testing.T) {
	m := paxos.Prepare{Ballot: paxos.Ballot{Round: 3, Node: 2}, Boot: 1, From: 7}
	require.Equal(t, "prepare 3.2 boot 1 from 7", Message(2, 1, paxos.AppendMessage(nil, m)))
}

func TestSumsAreDescribed(t *testing.T) {
	wire := driver.AppendSumReport(nil, core.SumReport{Slot: 7, Sum: db.Sum{A: 1, B: 2}})
	require.Equal(t, fmt.Sprintf("sum of slot 7: %v", db.Sum{A: 1, B: 2}), Message(1, 2, wire))
}

func TestBytesThatAreNoMessageAreSaidToBe(t *testing.T) {
	for _, link := range [][2]sim.Addr{{1, 2}, {sim.FirstClient, 1}, {1, sim.FirstClient}} {
		require.Contains(t, Message(link[0], link[1], []byte("xyz")), "3 bytes that are not a message: ")
	}
}
