//go:build unix

package cellcmd

import (
	"io"
	"net/http"
	"path/filepath"
	"regexp"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/chubbycell/chubby/internal/cli"
)

func TestProfilesAreServedOnTheLoopbackInterfaceOnly(t *testing.T) {
	t.Parallel()
	code, _, text := run(t, "dev", "--file", filepath.Join(t.TempDir(), "cell.json"), "--pprof", "0.0.0.0:0")
	require.Equal(t, cli.ExitUsage, code)
	require.Contains(t, text, "not a loopback address")
}

func TestACellOfOneProcessHasPagesAndProfiles(t *testing.T) {
	t.Parallel()
	at := freeAddr(t)
	cell, _ := startDev(t, "--http", "--pprof", at)
	out, _ := cell.text()
	pages := regexp.MustCompile(`(?m)^pages +([^,]+),[^,]+,[^,]+$`).FindStringSubmatch(out)
	require.NotNil(t, pages, out)
	for url, words := range map[string]string{
		"http://" + pages[1] + "/metrics":                 "chubby_serving",
		"http://" + at + "/debug/pprof/goroutine?debug=1": "goroutine profile",
	} {
		require.Contains(t, pageAt(t, url), words)
	}
}

// pageAt is the text of a page.
func pageAt(t *testing.T, url string) string {
	t.Helper()
	resp, err := http.Get(url)
	require.NoError(t, err)
	text, err := io.ReadAll(resp.Body)
	require.NoError(t, err)
	require.NoError(t, resp.Body.Close())
	require.Equal(t, http.StatusOK, resp.StatusCode, url)
	return string(text)
}
