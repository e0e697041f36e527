// Package pagetest is test support: it opens the page of a run in a real browser (internal/browsertest).
package pagetest

import (
	"context"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/chubbycell/chubby/internal/browsertest"
)

// Open writes page b to a file and opens it in a tab of the browser at path browser. The tab lives as long as the test.
// Open returns the tab, its traffic, and the address of the file. It fails the test if the page does not load.
func Open(ctx context.Context, t *testing.T, browser string, b []byte) (tab context.Context, f *browsertest.Traffic, at string) {
	file := filepath.Join(t.TempDir(), "page.html")
	require.NoError(t, os.WriteFile(file, b, 0o644))
	at = "file://" + file
	tab, f = browsertest.Tab(ctx, t, browser, 1400, 900, at, "#list li")
	return tab, f, at
}
