package server_test

import (
	"context"
	"os/exec"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/log"
	"github.com/chromedp/cdproto/network"
	cdpage "github.com/chromedp/cdproto/page"
	"github.com/chromedp/chromedp"
	"github.com/stretchr/testify/require"
)

// browser is a browser of this machine; "": there is none.
func browser() string {
	for _, name := range []string{"chromium", "chromium-headless-shell", "google-chrome", "chrome", "headless-shell"} {
		if path, err := exec.LookPath(name); err == nil {
			return path
		}
	}
	return ""
}

// traffic is what a browser asked for, and what it complained of.
type traffic struct {
	mu        sync.Mutex
	requested []string
	troubles  []string
}

func (f *traffic) listen(ctx context.Context) error {
	return chromedp.Listen(ctx, func(e any) {
		f.mu.Lock()
		defer f.mu.Unlock()
		switch e := e.(type) {
		case *network.EventRequestWillBeSent:
			if !strings.HasPrefix(e.Request.URL, "data:") {
				f.requested = append(f.requested, e.Request.URL)
			}
		case *log.EventEntryAdded:
			f.troubles = append(f.troubles, e.Entry.Text)
		case *cdpage.EventJavascriptDialogOpening:
			f.troubles = append(f.troubles, "a dialog: "+e.Message)
		}
	})
}

func (f *traffic) seen() (requested, troubles []string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.requested, f.troubles
}

// A browser shows the page as it is meant: names are text, nothing else is loaded, nothing is
// blocked, and the page is no wider than a telephone.
func TestABrowserShowsThePage(t *testing.T) {
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	path := browser()
	if path == "" {
		t.Log("NO BROWSER on this machine (apt-get install chromium-headless-shell): the other tests of the page read its text, and nothing draws it")
		return
	}
	_, master := busy(ctx, t)
	options := append(chromedp.DefaultExecAllocatorOptions[:], chromedp.ExecPath(path), chromedp.NoSandbox, chromedp.UserDataDir(t.TempDir()))
	ctx, stop := chromedp.NewExecAllocator(ctx, options...)
	defer stop()
	ctx, stopTab := chromedp.NewContext(ctx)
	defer stopTab()
	f := new(traffic)
	require.NoError(t, f.listen(ctx))
	_, err := chromedp.Call(ctx, network.Enable, network.EnableParams{})
	require.NoError(t, err)
	_, err = chromedp.Call(ctx, log.Enable, cdp.Empty{})
	require.NoError(t, err)
	at := "http://" + master.HTTPAddr().String() + "/"
	require.NoError(t, chromedp.Do(ctx, chromedp.EmulateViewport(400, 800), chromedp.Navigate(at), chromedp.WaitVisible("#delays")))
	got, err := chromedp.Run(ctx, chromedp.Evaluate[shown](`({
		title: document.title,
		heading: document.querySelector("h1").innerText,
		warnings: document.querySelector("#warnings").innerText,
		node: document.querySelector("#locks tbody td").innerText,
		principals: Array.from(document.querySelectorAll("#sessions tbody td:nth-child(2)"), e => e.innerText),
		tables: document.querySelectorAll("table").length,
		active: document.images.length + document.scripts.length,
		wide: document.documentElement.scrollWidth - window.innerWidth,
		color: getComputedStyle(document.querySelector("#warnings")).borderLeftColor,
	})`))
	require.NoError(t, err)
	require.Regexp(t, `^test: replica [1-3]$`, got.Title)
	require.Regexp(t, `^Cell test, replica [1-3]: master, serving$`, got.Heading)
	require.Contains(t, got.Warnings, "No warnings.")
	require.Equal(t, "/"+hostileNode, got.Node)
	require.ElementsMatch(t, []string{hostilePrincipal, "bob"}, got.Principals)
	require.Equal(t, 4, got.Tables)
	require.Zero(t, got.Active, "images and scripts")
	require.LessOrEqual(t, got.Wide, 0, "the page is wider than the window")
	require.Equal(t, "rgb(34, 136, 34)", got.Color, "the browser took the style")
	requested, troubles := f.seen()
	require.Equal(t, []string{at}, requested)
	require.Empty(t, troubles)
}

// shown is what a browser shows of the page.
type shown struct {
	Title, Heading, Warnings, Node, Color string
	Principals                            []string
	Tables, Active, Wide                  int
}
