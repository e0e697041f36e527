package main

import (
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/chubbycell/chubby/internal/cli"
)

// What is no history is called what it is.
func TestWhatIsNoHistoryIsNamed(t *testing.T) {
	t.Chdir(t.TempDir())
	require.NoError(t, os.Mkdir("dir", 0o755))
	good := `{"client":1,"call":1,"return":2,"input":{"op":"write","value":"a"}}` + "\n"
	for text, want := range map[string]string{
		"\xef\xbb\xbf" + good: "line 1: begins with a byte order mark (the bytes EF BB BF)",
		"\xff\xfe{\x00":       "line 1: begins with the byte order mark of UTF-16",
		good + strings.Replace(good, `"call":1`, `"call":3,"call":1`, 1):          "line 2: call: stands twice in one object",
		good + strings.Replace(good, `"op":"write"`, `"op":"read","op":"cas"`, 1): "line 2: input.op: stands twice in one object",
	} {
		require.NoError(t, os.WriteFile("h.jsonl", []byte(text), 0o644))
		w := newWorld()
		require.Equal(t, cli.ExitUsage, w.do("check", "--model", "register", "h.jsonl"), "%s%s", text, &w.out)
		require.Contains(t, w.err.String(), "h.jsonl: "+want)
		w.in.Reset(text)
		require.Equal(t, cli.ExitUsage, w.do("check", "--model", "register", "-"))
		require.Contains(t, w.err.String(), "stdin: "+want)
	}
	require.NoError(t, os.WriteFile("h.jsonl", []byte(good), 0o644))
	w := newWorld()
	require.Equal(t, cli.ExitUsage, w.do("check", "--model", "register", "dir"))
	require.Equal(t, "chubby: dir: a directory; name the file of a history\n", w.err.String())
	require.Equal(t, cli.ExitUsage, w.do("check", "--model", "register", "--page", "dir", "h.jsonl"))
	require.Equal(t, "chubby: --page dir: a directory; name a file\n", w.err.String())
	require.Equal(t, cli.ExitUsage, w.do("sim", "mutants", "--repo", plant(t), "--report", "dir"))
	require.Contains(t, w.err.String(), "--report dir: a directory; name a file")
	dir, err := os.Open("dir")
	require.NoError(t, err)
	defer dir.Close()
	w.In = dir
	require.Equal(t, cli.ExitUsage, w.do("check", "--model", "register", "-"))
	require.Contains(t, w.err.String(), "stdin: a directory")
}
