package page_test

import (
	"context"
	"testing"
	"time"

	"github.com/chromedp/chromedp"
	"github.com/stretchr/testify/require"

	"github.com/chubbycell/chubby/internal/browsertest"
	"github.com/chubbycell/chubby/sim/page"
	"github.com/chubbycell/chubby/sim/page/pagetest"
)

// A browser shows a broken run of more than 10,000 events: its lanes, the past of the break, and the events that a
// filter or a search selects. The page loads nothing else, and the browser reports no error.
func TestABrowserShowsARun(t *testing.T) {
	ctx, cancel := context.WithTimeout(context.Background(), 2*time.Minute)
	defer cancel()
	path := browsertest.Find(t)
	o := broken(60 * time.Second)
	r, b := paged(t, o)
	require.NotNil(t, r.Breach)
	require.Equal(t, "X7", r.Breach.ID)
	require.Less(t, len(b), page.Limit)
	ctx, f, at := pagetest.Open(ctx, t, path, b)

	got := browsertest.Ask[struct {
		Size, Lanes, Kinds, Ink, Wide int
		Names, Bars                   []string
		Broke                         float64
		Verdict, Story                string
	}](ctx, t, `({
		size, lanes: data.lanes.length, kinds: data.kinds.length, broke: data.broke / 1e6, bars: data.barKinds,
		names: Array.from(document.querySelectorAll("#nodes .chip[data-name]"), e => e.dataset.name),
		verdict: document.querySelector("#verdict").innerText, story: document.querySelector("#story pre").innerText,
		ink: new Set(new Uint32Array(lanes.getContext("2d").getImageData(0, 0, lanes.width, lanes.height).data.buffer)).size,
		wide: document.documentElement.scrollWidth - innerWidth,
	})`)
	require.GreaterOrEqual(t, got.Size, 10_000)
	ready := browsertest.Ask[float64](ctx, t, `performance.getEntriesByType("navigation")[0].loadEventEnd`)
	t.Logf("%d events in %d bytes, drawn %.0f ms after the browser began to load them", got.Size, len(b), ready)
	require.Equal(t, 1+r.Replicas+r.Clients+1, got.Lanes, "the cell, replicas, clients, and the hostile one")
	require.Equal(t, []string{"cell", "n1", "n2", "n3", "c1"}, got.Names[:5])
	require.Subset(t, got.Bars, []string{"leads", "follows", "serves", "lease", "down", "opening", "safe", "jeopardy", "lock"})
	require.InDelta(t, r.Breach.At.Seconds(), got.Broke, 1e-3)
	require.Equal(t, "as it is <said>", got.Verdict)
	require.Contains(t, got.Story, "Seed 7 breaks X7 at ")
	require.Greater(t, got.Ink, 20, "colors of the picture")
	require.LessOrEqual(t, got.Wide, 0, "the page is wider than the window")

	past := browsertest.Ask[struct{ Past, Told, Rows, AsItSays, Aside int }](ctx, t, `({
		past: mark.filter(m => m === PAST).length, told: mark.filter(m => m === PICKED).length, rows: document.querySelectorAll("#told li").length,
		asItSays: (() => { // how many received messages the data mark as the past, and the script does not
			const end = Array.from(kind.keys()).find(i => data.kinds[kind[i]] === "break"), marks = pastOf(end);
			return Array.from(marks.keys()).filter(i => isMessage(i) && got[i] >= 0 && mark[i] > 0 && !marks[i]).length;
		})(),
		aside: mark.filter(m => m === ASIDE).length,
	})`)
	require.Greater(t, past.Past, 1000)
	require.Positive(t, past.Told)
	require.Equal(t, past.Told, past.Rows)
	require.Positive(t, past.Aside)
	require.Zero(t, past.AsItSays, "the script knows of no more and no other past")
	faint := browsertest.Ask[[]float64](ctx, t, `[ASIDE, PAST].map(m => strength(mark.indexOf(m)))`)
	require.Greater(t, faint[1], 3*faint[0], "what the break cannot have come from is paler")

	t.Run("filters", func(t *testing.T) {
		heartbeats := browsertest.Ask[[]int](ctx, t, `(() => {
			const all = document.querySelector("#kinds .chip"), one = document.querySelector("#kinds [data-name=heartbeat]");
			all.click(); one.click();
			const n = [hits.length, hits.filter(i => data.kinds[kind[i]] !== "heartbeat").length];
			document.querySelector("#nodes [data-name=n1]").click();
			n.push(hits.length, hits.filter(i => laneName(who[i]) === "n1" || laneName(peer[i]) === "n1").length, place[data.lanes.findIndex(l => l.name === "n1")] ? 1 : 0);
			document.querySelector("#nodes [data-name=n1]").click();
			one.click(); all.click();
			n.push(size - hits.length);
			return n;
		})()`)
		require.Positive(t, heartbeats[0])
		require.Zero(t, heartbeats[1], "other kinds")
		require.Less(t, heartbeats[2], heartbeats[0])
		require.Equal(t, []int{0, 0, 0}, heartbeats[3:], "messages of n1, its lane, and what is missing at the end")
	})
	t.Run("search", func(t *testing.T) {
		browsertest.Ask[bool](ctx, t, `(() => { document.querySelector("#search").focus(); return true; })()`)
		require.NoError(t, chromedp.Do(ctx, chromedp.KeyEvent("serves epoch n2\r")))
		found := browsertest.Ask[struct {
			Hits, Wrong int
			Event       string
		}](ctx, t, `({
			hits: hits.length, wrong: hits.filter(i => !/serves .* epoch/.test(textOf(i)) || laneName(who[i]) !== "n2").length,
			event: document.querySelector("#event").innerText,
		})`)
		require.Positive(t, found.Hits)
		require.Zero(t, found.Wrong)
		require.Contains(t, found.Event, "serves clients as master of epoch")
		require.Contains(t, found.Event, "s by the clock of n2")
		browsertest.Ask[bool](ctx, t, `(() => { document.querySelector("#search").value = ""; filter(); select(-1); return true; })()`)
	})
	t.Run("a click", func(t *testing.T) {
		clicked := browsertest.Ask[string](ctx, t, `(() => {
			toBreak(); draw();
			const i = Array.from(kind.keys()).find(i => data.kinds[kind[i]] === "break");
			const at = lanes.getBoundingClientRect(), e = { bubbles: true, pointerId: 1, clientX: at.left + x(view.sent[i]), clientY: at.top + baseline(who[i]) };
			lanes.setPointerCapture = () => {};
			lanes.dispatchEvent(new PointerEvent("pointerdown", e));
			lanes.dispatchEvent(new PointerEvent("pointerup", e));
			return document.querySelector("#event").innerText;
		})()`)
		require.Contains(t, clicked, "breaks: ")
		require.Contains(t, clicked, r.Breach.Text)
	})
	t.Run("clocks", func(t *testing.T) {
		moved := browsertest.Ask[int](ctx, t, `(() => {
			document.querySelector("#own").click(); draw();
			const n = at.filter((t, i) => Math.abs(view.sent[i] - t) > 1000).length;
			document.querySelector("#own").click(); draw();
			return n;
		})()`)
		require.Positive(t, moved, "some clock errs by a millisecond")
	})
	requested, troubles := f.Seen()
	require.Equal(t, []string{at}, requested)
	require.Empty(t, troubles)
}
