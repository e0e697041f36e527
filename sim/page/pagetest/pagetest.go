// Package pagetest is test support: a page in a real browser.
package pagetest

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/log"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"
	"github.com/stretchr/testify/require"
)

// Browser is a browser of this machine; "": there is none, which is logged.
func Browser(t *testing.T) string {
	for _, name := range []string{"chromium", "chromium-headless-shell", "google-chrome", "chrome", "headless-shell"} {
		if path, err := exec.LookPath(name); err == nil {
			return path
		}
	}
	t.Log("NO BROWSER on this machine (apt-get install chromium-headless-shell): the other tests of the page read its text, and nothing draws it")
	return ""
}

// Traffic is what a browser asked for, and what it complained of.
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
		}
	})
}

// Seen is what was asked for and complained of so far.
func (f *Traffic) Seen() (requested, troubles []string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.requested, f.troubles
}

// Open opens a page as a file in a tab that lives as long as the test, and returns the tab and the
// address of the file.
func Open(ctx context.Context, t *testing.T, browser string, b []byte) (tab context.Context, f *Traffic, at string) {
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
	file := filepath.Join(t.TempDir(), "page.html")
	require.NoError(t, os.WriteFile(file, b, 0o644))
	at = "file://" + file
	require.NoError(t, chromedp.Do(ctx, chromedp.EmulateViewport(1400, 900), chromedp.Navigate(at), chromedp.WaitVisible("#list li")))
	return ctx, f, at
}

// Ask evaluates a script in the tab.
func Ask[T any](ctx context.Context, t *testing.T, script string) T {
	t.Helper()
	got, err := chromedp.Run(ctx, chromedp.Evaluate[T](script))
	require.NoError(t, err)
	return got
}
