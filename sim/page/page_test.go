package page_test

import (
	"bytes"
	"errors"
	"regexp"
	"strconv"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/chubbycell/chubby/sim"
	"github.com/chubbycell/chubby/sim/cell"
	"github.com/chubbycell/chubby/sim/event"
	"github.com/chubbycell/chubby/sim/page"
	"github.com/chubbycell/chubby/sim/plan"
	"github.com/chubbycell/chubby/sim/scenario"
)

// noLateMaster is a checker that breaks when a replica begins to serve late in a run.
type noLateMaster struct{ after time.Duration }

func (c noLateMaster) On(now time.Duration, e event.Event) error {
	if s, ok := e.(event.Serves); ok && now > c.after {
		return errors.New("replica " + strconv.Itoa(int(s.Replica)) + " serves in epoch " + strconv.Itoa(int(s.Epoch)))
	}
	return nil
}

func (noLateMaster) End() error { return nil }

// broken returns options of a seed that breaks X7 when a replica begins to serve after that time.
func broken(after time.Duration) plan.Options {
	return plan.Options{
		Seed: 7, Workload: "churn", Replicas: 3, Clients: 30,
		With: &scenario.Extension{Properties: []scenario.Property{{ID: "X7", Help: "none serves late", New: func() scenario.Checker { return noLateMaster{after} }}}},
	}
}

// paged makes a run and its page.
func paged(t *testing.T, o plan.Options) (cell.Result, []byte) {
	r := page.NewRecorder()
	watched := o
	r.Watch(&watched)
	res := cell.Run(watched)
	var b bytes.Buffer
	require.NoError(t, r.WritePage(&b, o, &res, page.About{Verdict: "as it is <said>", Command: "chubby sim --seed 7"}))
	return res, b.Bytes()
}

// Two runs of one seed give the same page, a Recorder does not change the run, and the writer of a trace gets the same
// lines each time.
func TestOneSeedIsOnePage(t *testing.T) {
	o := plan.Options{Seed: 5, Duration: 3 * time.Second, Replicas: 3, Clients: 2}
	alone := cell.Run(o)
	var trace, again bytes.Buffer
	o.Trace = sim.Trace{W: &trace}
	r, first := paged(t, o)
	require.Equal(t, alone.Hash, r.Hash)
	o.Trace.W = &again
	_, second := paged(t, o)
	require.Equal(t, first, second)
	require.NotEmpty(t, trace.Bytes())
	require.Equal(t, trace.Bytes(), again.Bytes())
	require.Contains(t, string(first), "as it is &lt;said&gt;")
	require.NotContains(t, string(first), "<said>")
}

// A page refers to nothing outside its file.
func TestAPageNeedsNoNetwork(t *testing.T) {
	_, b := paged(t, plan.Options{Seed: 5, Duration: time.Second, Replicas: 1, Clients: 1, Faults: []string{}})
	require.Contains(t, string(b), "default-src 'none'")
	require.Empty(t, regexp.MustCompile(`(?i)https?://|<link[^>]+href="[^d]|<script[^>]+src|@import|url\(`).FindAll(b, -1))
}

// The page of a seed with too many events leaves out frequent kinds, says so, and stays below Limit.
func TestAPageIsNeverTooLarge(t *testing.T) {
	_, b := paged(t, plan.Options{Seed: 7, Workload: "churn", Replicas: 3, Clients: 50})
	require.LessOrEqual(t, len(b), page.Limit)
	said := regexp.MustCompile(`This page has (\d+) of (\d+) events`).FindSubmatch(b)
	require.NotNil(t, said)
	has, err := strconv.Atoi(string(said[1]))
	require.NoError(t, err)
	require.Greater(t, has, 20_000)
}

// A run without moments, such as that of a test's fake runner, has a page, too.
func TestAPageOfNothing(t *testing.T) {
	var b bytes.Buffer
	res := cell.Result{Seed: 3, Breach: &cell.Breach{ID: "S1", Text: "slot 4"}}
	require.NoError(t, page.NewRecorder().WritePage(&b, plan.Options{Seed: 3}, &res, page.About{Verdict: "S1 broke"}))
	require.Contains(t, b.String(), `"at":[]`)
}
