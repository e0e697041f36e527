package linearizability

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestAReportOfTheSample(t *testing.T) {
	r, err := CheckFile(strings.NewReader(sample), "kv", Options{})
	require.NoError(t, err)
	require.Equal(t, Legal, r.Verdict, r.Text())
	require.Equal(t, &WitnessReport{Verdict: Legal, Logged: 4, Fitted: 4, Dropped: 1}, r.Witness)
	require.Equal(t, Legal, r.Search)
	require.Equal(t, []int{9, 7, 1, 1, 2}, []int{r.Operations, r.OK, r.Failed, r.Unknown, r.Clients})
}

func TestAWitnessAloneDecides(t *testing.T) {
	h := bigHistory(2000, 5, 4)
	r, err := CheckHistory(KV(), h, Options{WitnessOnly: true})
	require.NoError(t, err)
	require.Equal(t, Legal, r.Verdict)
	require.False(t, r.Searched)
	require.NotContains(t, r.Text(), "search:")

	r, err = CheckHistory(KV(), hardHistory(24), Options{WitnessOnly: true})
	require.NoError(t, err)
	require.Equal(t, Undecided, r.Verdict)
	require.Nil(t, r.Witness)

	r, err = CheckHistory(KV(), h, Options{Budget: Budget{Steps: 10}})
	require.NoError(t, err)
	require.Equal(t, Undecided, r.Search)
	require.Equal(t, Legal, r.Verdict, "what the search cannot decide, the witness has")
	require.False(t, r.Conflict())
}

func TestAWrongWitnessIsIllegalWhateverTheSearchSays(t *testing.T) {
	ops := []kvOperation{done(1, 1, 2, Put("g/x", "1"), nothing), done(1, 3, 4, Put("g/x", "2"), nothing)}
	ops[0].At, ops[1].At = Position{Slot: 2}, Position{Slot: 1}
	r, err := CheckHistory(KV(), historyOf(t, ops), Options{})
	require.NoError(t, err)
	require.Equal(t, Legal, r.Search)
	require.Equal(t, Illegal, r.Verdict)
	require.Contains(t, r.Text(), "real-time order: #1 client 1")
	require.False(t, r.Conflict())
}

func TestAContradictionOfTheChecksIsReported(t *testing.T) {
	m := KV()
	m.Step = func(s KVState, _ KVInput, _ KVOutput) (bool, KVState) { return false, s } // unlike its replayer
	op := done(1, 1, 2, Put("g/x", "1"), nothing)
	op.At = Position{Slot: 1}
	r, err := CheckHistory(m, historyOf(t, []kvOperation{op}), Options{})
	require.NoError(t, err)
	require.True(t, r.Conflict())
	require.Equal(t, Illegal, r.Verdict)
	require.Contains(t, r.Text(), "one of the two checks is wrong")
}

func TestReportsAsTextAndJSON(t *testing.T) {
	bad := badHistories()[0]
	var page, out bytes.Buffer
	r, err := CheckHistory(KV(), historyOf(t, bad.ops), Options{Page: &page})
	require.NoError(t, err)
	require.Empty(t, r.PageError)
	require.NotZero(t, page.Len())
	require.Equal(t, `illegal: model kv, 3 operations of 2 clients (3 ok, 0 failed, 0 unknown)
search: illegal, 1 partitions (0 legal, 1 illegal, 0 undecided), 3 steps
  illegal   "g/x": 3 operations, 0 unknown, 0 without bearing, 3 steps

Not linearizable: kv "g/x", 3 operations.
The first 2 completions have a legal order, the first 3 have none. The last of them:
  #3 client 2: get g/x -> "1" [called 6, returned 7]
cannot have had this result. Possible there: "2".
It contradicts:
  #2 client 1: put g/x = "2" -> ok [called 3, returned 5]: returned before it was called
  #1 client 1: put g/x = "1" -> ok [called 1, returned 2]: returned before it was called
`, r.Text())
	require.NoError(t, r.WriteJSON(&out))
	require.Contains(t, out.String(), `"verdict": "illegal"`)
	var back Report
	require.NoError(t, json.Unmarshal(out.Bytes(), &back))
	require.Equal(t, r, back)
}

func TestATextStaysShortHoweverManyPartitions(t *testing.T) {
	var ops []kvOperation
	for i := range int64(100) {
		ops = append(ops, done(1, 2*i+1, 2*i+2, Get(fmt.Sprintf("g%d/x", i)), value("1")))
	}
	r, err := CheckHistory(KV(), historyOf(t, ops), Options{Budget: Budget{All: true}})
	require.NoError(t, err)
	require.Len(t, r.Partitions, 100)
	require.Less(t, strings.Count(r.Text(), "\n"), 100, "ten are explained")
	require.Contains(t, r.Text(), "and others")
}

func TestAPageThatCannotBeWrittenIsReported(t *testing.T) {
	r, err := CheckHistory(KV(), historyOf(t, badHistories()[0].ops), Options{Page: brokenWriter{}})
	require.NoError(t, err)
	require.Equal(t, "disk full", r.PageError)
	require.Contains(t, r.Text(), "disk full")
}

type brokenWriter struct{}

func (brokenWriter) Write([]byte) (int, error) { return 0, errors.New("disk full") }

func TestModelsByName(t *testing.T) {
	for _, name := range ModelNames() {
		r, err := CheckFile(strings.NewReader(""), name, Options{})
		require.NoError(t, err)
		require.Equal(t, Legal, r.Verdict)
		require.Equal(t, name, r.Model)
	}
	_, err := CheckFile(strings.NewReader(""), "paper", Options{})
	require.ErrorIs(t, err, ErrModel)
	require.ErrorContains(t, err, `unknown model "paper": there are cas, file, kv, lock, mutex, queue, register, set`)
	_, err = CheckFile(strings.NewReader("{"), "kv", Options{})
	require.ErrorIs(t, err, ErrFormat)
}

// With Budget.All, each illegal partition is explained, ten at most.
func TestEachIllegalPartitionIsExplained(t *testing.T) {
	var ops []kvOperation
	for i := range int64(12) {
		ops = append(ops, done(1, 2*i+1, 2*i+2, Get(fmt.Sprint("k", i)), value("x")))
	}
	ops = append(ops, done(1, 100, 101, Get("good"), nothing))
	r, err := CheckHistory(KV(), historyOf(t, ops), Options{Budget: Budget{All: true}})
	require.NoError(t, err)
	require.Len(t, r.Explanations(), 10)
	named := map[string]bool{}
	for _, e := range r.Explanations() {
		named[e.Partition] = true
		require.Contains(t, r.Text(), e.Text)
	}
	require.Len(t, named, 10)
	require.Contains(t, r.Text(), "Another 2 partitions are illegal, too, and not explained.")

	r, err = CheckHistory(KV(), historyOf(t, ops), Options{})
	require.NoError(t, err)
	require.Len(t, r.Explanations(), 1)
	require.NotContains(t, r.Text(), "Another")
}
