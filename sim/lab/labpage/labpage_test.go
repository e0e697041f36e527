package labpage_test

import (
	"bytes"
	"context"
	"regexp"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/chubbycell/chubby/internal/browsertest"
	"github.com/chubbycell/chubby/sim/lab"
	"github.com/chubbycell/chubby/sim/lab/labpage"
	"github.com/chubbycell/chubby/sim/lab/systems"
	"github.com/chubbycell/chubby/sim/page"
	"github.com/chubbycell/chubby/sim/page/pagetest"
)

// paged is the page of a variant, by its index.
func paged(t *testing.T, system, id string, index int) []byte {
	s, found := systems.Named(system)
	require.True(t, found)
	b, found := s.Break(id)
	require.True(t, found)
	all, err := lab.Check(b, 1)
	require.NoError(t, err)
	var out bytes.Buffer
	require.NoError(t, labpage.Write(&out, &s, b, all, index, 1, "chubby lab run "+system+" "+id))
	return out.Bytes()
}

// To watch a run does not change it, one seed is one page, and nothing on it comes from elsewhere.
func TestAPageOfABreak(t *testing.T) {
	s, found := systems.Named("setpx")
	require.True(t, found)
	b, found := s.Break("X1")
	require.True(t, found)
	all, err := lab.Check(b, 1)
	require.NoError(t, err)
	first := paged(t, "setpx", "X1", 0)
	require.Equal(t, string(first), string(paged(t, "setpx", "X1", 0)))
	text := string(first)
	require.Contains(t, text, "hash "+all[0].Outcome.Hash)
	for _, want := range []string{`"name":"redis"`, `"name":"A"`, `"name":"resource"`, `"name":"script"`, "update of A lost", "is paused until", "chubby lab run setpx X1", "acts as a holder"} {
		require.Contains(t, text, want)
	}
	require.NotRegexp(t, regexp.MustCompile(`"name":"[nc]\d+"`), text, "a machine without its name")
	require.Empty(t, regexp.MustCompile(`(?i)https?://|<link[^>]+href="[^d]|<script[^>]+src|@import|url\(`).FindAllString(text, -1))
}

// Every break that is played has a page, of each variant, that is no larger than a page may be.
func TestEveryBreakHasAPage(t *testing.T) {
	pages := 0
	for _, s := range systems.All() {
		for i := range s.Breaks {
			b := &s.Breaks[i]
			if b.Script == nil {
				continue
			}
			all, err := lab.Check(b, 1)
			require.NoError(t, err)
			for _, k := range slices.Compact([]int{0, len(all) - 1}) {
				var out bytes.Buffer
				require.NoError(t, labpage.Write(&out, &s, b, all, k, 1, ""), "%s %s", s.Name, b.ID)
				require.LessOrEqual(t, out.Len(), page.Limit, "%s %s", s.Name, b.ID)
				pages++
			}
		}
	}
	require.Greater(t, pages, 50)
}

func TestABrowserShowsABreak(t *testing.T) {
	ctx, cancel := context.WithTimeout(context.Background(), 2*time.Minute)
	defer cancel()
	path := browsertest.Find(t)
	ctx, f, at := pagetest.Open(ctx, t, path, paged(t, "setpx", "X1", 0))
	got := browsertest.Ask[struct {
		Names, Bars, Holders []string
		Bands, Ink, Past     int
		Broke                float64
		Verdict, Story       string
	}](ctx, t, `({
		names: data.lanes.map(l => l.name), bars: data.barKinds, bands: data.bands.length, broke: data.broke / 1e6,
		holders: data.bars.filter(b => data.barKinds[b[1]] === "lock").map(b => data.lanes[b[0]].name),
		verdict: document.querySelector("#verdict").innerText, story: document.querySelector("#story pre").innerText,
		ink: new Set(new Uint32Array(lanes.getContext("2d").getImageData(0, 0, lanes.width, lanes.height).data.buffer)).size,
		past: mark.filter(m => m === PAST).length,
	})`)
	require.Equal(t, []string{"script", "redis", "resource", "A", "B"}, got.Names)
	require.Subset(t, got.Bars, []string{"lock", "paused"})
	require.Equal(t, []string{"A", "B"}, got.Holders)
	require.Equal(t, 1, got.Bands)
	require.InDelta(t, 15.0, got.Broke, 0.1)
	require.Contains(t, got.Verdict, "update of A lost")
	require.Contains(t, got.Story, "is paused until")
	require.Greater(t, got.Ink, 20, "colors of the picture")
	require.Positive(t, got.Past)
	requested, troubles := f.Seen()
	require.Equal(t, []string{at}, requested)
	require.Empty(t, troubles)
}
