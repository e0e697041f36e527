package server_test

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/chubbycell/chubby/internal/browsertest"
)

// A browser shows the page as it is meant: names are text, nothing else is loaded, nothing is
// blocked, and the page is no wider than a telephone.
func TestABrowserShowsThePage(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	path := browsertest.Find(t)
	_, master := busy(ctx, t)
	at := "http://" + master.HTTPAddr().String() + "/"
	ctx, f := browsertest.Tab(ctx, t, path, 400, 800, at, "#delays")
	got := browsertest.Ask[shown](ctx, t, `({
		title: document.title,
		heading: document.querySelector("h1").innerText,
		warnings: document.querySelector("#warnings").innerText,
		node: document.querySelector("#locks tbody td").innerText,
		principals: Array.from(document.querySelectorAll("#sessions tbody td:nth-child(2)"), e => e.innerText),
		tables: document.querySelectorAll("table").length,
		active: document.images.length + document.scripts.length,
		wide: document.documentElement.scrollWidth - window.innerWidth,
		color: getComputedStyle(document.querySelector("#warnings")).borderLeftColor,
	})`)
	require.Regexp(t, `^test: replica [1-3]$`, got.Title)
	require.Regexp(t, `^Cell test, replica [1-3]: master, serving$`, got.Heading)
	require.Contains(t, got.Warnings, "No warnings.")
	require.Equal(t, "/"+hostileNode, got.Node)
	require.ElementsMatch(t, []string{hostilePrincipal, "bob"}, got.Principals)
	require.Equal(t, 4, got.Tables)
	require.Zero(t, got.Active, "images and scripts")
	require.LessOrEqual(t, got.Wide, 0, "the page is wider than the window")
	require.Equal(t, "rgb(34, 136, 34)", got.Color, "the browser took the style")
	requested, troubles := f.Seen()
	require.Equal(t, []string{at}, requested)
	require.Empty(t, troubles)
}

// shown is what a browser shows of the page.
type shown struct {
	Title, Heading, Warnings, Node, Color string
	Principals                            []string
	Tables, Active, Wide                  int
}
