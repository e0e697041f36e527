// Package browsertest is test support: a real browser, and what it asks for and complains of. On a machine without a
// browser the test is skipped, and says so; .ci/run installs one.
package browsertest

import (
	"context"
	"os/exec"
	"strings"
	"sync"
	"testing"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/log"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"
	"github.com/stretchr/testify/require"
)

// Find returns the path of a browser of this machine. If there is none, it skips the test.
func Find(t testing.TB) string {
	for _, name := range []string{"chromium", "chromium-headless-shell", "google-chrome", "chrome", "headless-shell"} {
		if path, err := exec.LookPath(name); err == nil {
			return path
		}
	}
	t.Skip("it needs a browser (apt-get install chromium-headless-shell), which .ci/run installs where it can: the other tests of the page read its text, and nothing draws it")
	return ""
}

// Traffic is what a tab asked for, and what it complained of. Safe for concurrent use.
type Traffic struct {
	mu        sync.Mutex
	requested []string
	troubles  []string
}

func (f *Traffic) listen(ctx context.Context) error {
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
		case *runtime.EventExceptionThrown:
			f.troubles = append(f.troubles, e.ExceptionDetails.Text)
		case *runtime.EventConsoleAPICalled:
			f.troubles = append(f.troubles, "the console: "+string(e.Type))
		case *page.EventJavascriptDialogOpening:
			f.troubles = append(f.troubles, "a dialog: "+e.Message)
		}
	})
}

// Seen is what was asked for and complained of so far.
func (f *Traffic) Seen() (requested, troubles []string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.requested, f.troubles
}

// Tab opens an address in a window of this size, and waits until an element is visible. The tab lives as long as
// the test.
func Tab(ctx context.Context, t testing.TB, browser string, width, height int64, at, visible string) (tab context.Context, f *Traffic) {
	t.Helper()
	options := append(chromedp.DefaultExecAllocatorOptions[:], chromedp.ExecPath(browser), chromedp.NoSandbox, chromedp.UserDataDir(t.TempDir()))
	ctx, stop := chromedp.NewExecAllocator(ctx, options...)
	t.Cleanup(stop)
	ctx, stopTab := chromedp.NewContext(ctx)
	t.Cleanup(stopTab)
	f = new(Traffic)
	require.NoError(t, f.listen(ctx))
	_, err := chromedp.Call(ctx, network.Enable, network.EnableParams{})
	require.NoError(t, err)
	_, err = chromedp.Call(ctx, log.Enable, cdp.Empty{})
	require.NoError(t, err)
	require.NoError(t, chromedp.Do(ctx, chromedp.EmulateViewport(width, height), chromedp.Navigate(at), chromedp.WaitVisible(visible)))
	return ctx, f
}

// Ask evaluates a script in the tab.
func Ask[T any](ctx context.Context, t testing.TB, script string) T {
	t.Helper()
	got, err := chromedp.Run(ctx, chromedp.Evaluate[T](script))
	require.NoError(t, err)
	return got
}
