package sweep_test

import (
	"bytes"
	"encoding/xml"
	"errors"
	"io"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/chubbycell/chubby/sim/experiment"
	"github.com/chubbycell/chubby/sim/lab"
	"github.com/chubbycell/chubby/sim/lab/chubby"
	"github.com/chubbycell/chubby/sim/lab/etcd"
	"github.com/chubbycell/chubby/sim/lab/rowlock"
	"github.com/chubbycell/chubby/sim/lab/setnx"
	"github.com/chubbycell/chubby/sim/lab/setpx"
	"github.com/chubbycell/chubby/sim/lab/sweep"
)

const seeds = 10

// swept runs seeds in every place, and returns what each seed saw there.
func swept(t *testing.T, s *sweep.Sweep) (*experiment.Tally, [][]sweep.Seen) {
	tally := experiment.NewTally(s.Experiment)
	all := make([][]sweep.Seen, len(s.Grid))
	for at := range s.Grid {
		for seed := uint64(1); seed <= seeds; seed++ {
			x, err := s.Run(at, seed)
			require.NoError(t, err)
			tally.Count(at, seed, x.Verdict, x.Sums)
			all[at] = append(all[at], x)
		}
	}
	return tally, all
}

func TestAPauseDoesHarmWhenItOutlastsLeaseAndDelay(t *testing.T) {
	s := sweep.Pause([]lab.System{setnx.System(), setpx.System(), rowlock.System(), etcd.System(), chubby.System()})
	tally, all := swept(t, s)
	bounds := map[string]sweep.Bound{}
	for _, b := range sweep.Bounds(tally.Points()) {
		bounds[b.Series] = b
	}
	require.Zero(t, bounds["setnx"].First, "a lock without a lease")
	for _, name := range []string{"setpx", "rowlock", "etcd"} {
		require.GreaterOrEqual(t, bounds[name].First, 0.75, name)
		require.LessOrEqual(t, bounds[name].Always, 1.5, name)
		require.NotZero(t, bounds[name].Always, name)
	}
	require.GreaterOrEqual(t, bounds["chubby"].First, 1.75, "12 s of lease and 10 s of lock-delay")
	require.NotZero(t, bounds["chubby"].Always)
	for at := 1; at < len(s.Grid); at++ {
		if s.Grid[at].Series != s.Grid[at-1].Series {
			continue
		}
		for i := range all[at] {
			require.GreaterOrEqual(t, all[at][i].Verdict, all[at-1][i].Verdict, "%v, seed %d: a longer pause does less harm", s.Grid[at], i+1)
		}
	}
}

func TestAMarginCostsWritesAndNeverEndsStaleOnes(t *testing.T) {
	s := sweep.MinValidity([]lab.System{setpx.System()})
	tally, all := swept(t, s)
	points := tally.Points()
	first, last := points[0], points[len(points)-1]
	require.NotZero(t, first.Hits, "without a margin a stale write is taken")
	require.Less(t, last.Sums[0].Value, first.Sums[0].Value, "with the largest margin fewer writes are sent")
	for at := range all {
		for i := range all[at] {
			sums := all[at][i].Sums
			require.EqualValues(t, 1, sums[0].Value+sums[2].Value, "%v, seed %d: neither written nor given up", s.Grid[at], i+1)
			if at > 0 {
				require.LessOrEqual(t, all[at][i].Verdict, all[at-1][i].Verdict, "%v, seed %d: a larger margin does more harm", s.Grid[at], i+1)
			}
		}
	}
}

func TestOneSeedIsOneHistory(t *testing.T) {
	for _, s := range []*sweep.Sweep{sweep.Pause([]lab.System{etcd.System()}), sweep.MinValidity([]lab.System{etcd.System()})} {
		a, err := s.Run(3, 7)
		require.NoError(t, err)
		b, err := s.Run(3, 7)
		require.NoError(t, err)
		require.Equal(t, a, b)
	}
}

// The picture is whole XML that names its systems, and refers to nothing.
func TestThePictureIsOneFile(t *testing.T) {
	tally, _ := swept(t, sweep.Pause([]lab.System{setnx.System(), setpx.System()}))
	var b bytes.Buffer
	require.NoError(t, tally.WriteSVG(&b, "c0ffee"))
	require.Contains(t, b.String(), ">setpx<")
	require.NotContains(t, b.String(), "href")
	for d := xml.NewDecoder(&b); ; {
		if _, err := d.Token(); errors.Is(err, io.EOF) {
			break
		} else {
			require.NoError(t, err)
		}
	}
}

func TestBoundsOfACurve(t *testing.T) {
	point := func(x float64, hits int) experiment.Point {
		return experiment.Point{Series: "s", X: x, Judged: 4, Hits: hits}
	}
	b := sweep.Bounds([]experiment.Point{point(1, 0), point(2, 4), point(3, 3), point(4, 4), point(5, 4)})
	require.Equal(t, []sweep.Bound{{Series: "s", None: 1, First: 2, Always: 4}}, b)
	require.Equal(t, "between 1 and 2 leases", b[0].Begin())
	require.Equal(t, "from 4 leases on", b[0].End())
	b = sweep.Bounds([]experiment.Point{point(1, 0), point(2, 0)})
	require.Equal(t, "not up to 2 leases", b[0].Begin())
	require.Equal(t, "nowhere", b[0].End())
}
