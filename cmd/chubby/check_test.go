package main

import (
	"context"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/chubbycell/chubby/internal/cli"
	"github.com/chubbycell/chubby/internal/schema"
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
	require.NoError(t, os.WriteFile("dir/story.txt", []byte("Seed 7 breaks S1"), 0o644))
	require.NoError(t, os.WriteFile("dir/history.jsonl", []byte(good), 0o644))
	require.Equal(t, cli.ExitUsage, w.do("check", "--model", "register", "dir/story.txt"))
	require.Contains(t, w.err.String(), "; the history of this run is "+filepath.Join("dir", "history.jsonl"))
	dir, err := os.Open("dir")
	require.NoError(t, err)
	defer dir.Close()
	w.In = dir
	require.Equal(t, cli.ExitUsage, w.do("check", "--model", "register", "-"))
	require.Contains(t, w.err.String(), "stdin: a directory")
}

// endsAfterReading is a context that ended, though nothing that waits for it to end has seen that.
type endsAfterReading struct{ context.Context }

func (endsAfterReading) Done() <-chan struct{} { return nil }
func (endsAfterReading) Err() error            { return context.Canceled }

// hard is a history whose search takes long: writes all at once, and a read of none of them.
func hard(writes int) string {
	var b strings.Builder
	for i := range writes {
		fmt.Fprintf(&b, `{"client":%d,"call":%d,"return":%d,"input":{"op":"write","key":"x","value":"%d"}}`+"\n", i, i, 1000+i, i)
	}
	b.WriteString(`{"client":0,"call":3000,"return":3001,"input":{"op":"read","key":"x"},"output":{"value":null}}` + "\n")
	b.WriteString(`{"client":0,"call":3002,"return":3003,"input":{"op":"read","key":"y"},"output":{"value":null}}` + "\n")
	return b.String()
}

// An interrupt ends the search, and what is known by then is printed.
func TestAnInterruptedCheckTellsWhatItKnows(t *testing.T) {
	w := newWorld()
	w.in.Reset(hard(30))
	require.Equal(t, cli.ExitInterrupted, w.run(endsAfterReading{t.Context()}, []string{"check", "--model", "register", "--timeout", "1h", "-"}), &w.err)
	require.Contains(t, w.out.String(), "undecided: model register, 32 operations of 30 clients")
	require.Contains(t, w.out.String(), `"x": 31 operations, 0 unknown, 0 without bearing, 0 steps; interrupted`)
	w = newWorld()
	w.in.Reset(hard(30))
	require.Equal(t, cli.ExitInterrupted, w.run(endsAfterReading{t.Context()}, []string{"check", "--model", "register", "-o", "json", "-"}))
	schema.Accept(t, projectAt, w.out.Bytes())
	require.Contains(t, w.out.String(), `"interrupted": true`)
	require.Contains(t, w.out.String(), `"bound": "interrupt"`)
}

// A partition that was not searched has no verdict: for a CI system it was skipped. The report says
// how long the check took.
func TestWhatWasNotSearchedIsSkippedInJUnit(t *testing.T) {
	w := newWorld()
	w.pace = 1500 * time.Millisecond
	w.in.Reset(`{"client":1,"call":1,"return":2,"input":{"op":"read","key":"x"},"output":{"value":"a"}}
{"client":1,"call":3,"return":4,"input":{"op":"read","key":"y"},"output":{"value":null}}` + "\n")
	require.Equal(t, cli.ExitBroken, w.do("check", "--model", "register", "-o", "junit", "-"), &w.err)
	require.Contains(t, w.out.String(), `tests="2" failures="1" errors="0" skipped="1" time=`)
	require.NotContains(t, w.out.String(), `time="0.000"`)
	require.Contains(t, w.out.String(), `<skipped message="left open, since another partition is illegal; --all searches every one"></skipped>`)
	require.NotContains(t, w.out.String(), "system-out")
}

// The name of a case is on one line, and keys with different characters that XML does not have differ.
func TestCasesOfOddKeysHaveNamesOfTheirOwn(t *testing.T) {
	w := newWorld()
	w.in.Reset(`{"client":1,"call":1,"return":2,"input":{"op":"read","key":"a\u0001\n"},"output":{"value":null}}
{"client":1,"call":3,"return":4,"input":{"op":"read","key":"a\u0002\n"},"output":{"value":null}}
{"client":1,"call":5,"return":6,"input":{"op":"read","key":"a b"},"output":{"value":null}}` + "\n")
	require.Equal(t, cli.ExitClean, w.do("check", "--model", "register", "-o", "junit", "-"), &w.err)
	for _, name := range []string{`register &#34;a\x01\n&#34;`, `register &#34;a\x02\n&#34;`, `register a b`} {
		require.Contains(t, w.out.String(), ` name="`+name+`">`)
	}
}

// The line that checks a history again has all flags that bear on the verdict, and a shell reads it.
func TestTheLineThatChecksAgainIsWhole(t *testing.T) {
	t.Chdir(t.TempDir())
	const history = `{"client":1,"call":1,"return":2,"input":{"op":"read","key":"x"},"output":{"value":"a"}}` + "\n"
	for file, named := range map[string]string{"h.jsonl": "h.jsonl", "a b.jsonl": "&#39;a b.jsonl&#39;", "-x.jsonl": "./-x.jsonl"} {
		require.NoError(t, os.WriteFile(file, []byte(history), 0o644))
		w := newWorld()
		require.Equal(t, cli.ExitBroken, w.do("check", "--model", "register", "--format", "jsonl", "--steps", "9", "--memory", "2G", "--timeout", "90s", "--all", "-o", "junit", "--", file), &w.err)
		require.Contains(t, w.out.String(), "go run ./cmd/chubby check --model register --format jsonl --steps 9 --memory 2G --timeout 1m30s --all "+named+"</failure>")
	}
}

// A search of minutes tells how far it is, on stderr.
func TestALongCheckTellsHowFarItIs(t *testing.T) {
	w := newWorld()
	w.pace, w.telling = 4*time.Second, 10*time.Second
	w.in.Reset(hard(30))
	require.Equal(t, cli.ExitUndecided, w.do("check", "--model", "register", "--steps", "9000", "-"), &w.err)
	require.Contains(t, w.err.String(), `  12 s  1 of 2 partitions decided, `)
	require.Contains(t, w.err.String(), `steps, at "x" (31 operations)`)
}

// The collector keeps the memory of the process in proportion to what the search may remember.
func TestMemoryOfACheckIsLimited(t *testing.T) {
	t.Chdir(t.TempDir())
	require.NoError(t, os.WriteFile("h.jsonl", []byte(hard(3)), 0o644))
	for memory, want := range map[string]int64{"1G": 3<<29 + 128<<20 + 4*int64(len(hard(3))), "8589934591G": math.MaxInt64} {
		w := newWorld()
		require.Equal(t, cli.ExitBroken, w.do("check", "--model", "register", "--memory", memory, "h.jsonl"), &w.err)
		require.Equal(t, want, w.limited)
	}
}

// A page that cannot be written is refused before the search, and none is left where none is needed.
func TestAPageThatCannotBeWrittenIsRefusedFirst(t *testing.T) {
	t.Chdir(t.TempDir())
	const legal = `{"client":1,"call":1,"return":2,"input":{"op":"write","value":"a"}}` + "\n"
	require.NoError(t, os.Symlink("nowhere/at/all", "dangling"))
	for page, want := range map[string]string{
		"-":           "--page -: a page is a file; stdout has the report",
		"":            "--page: no file is named",
		"none/p.html": "--page none/p.html: stat none: no such file or directory",
		"dangling":    "--page: open dangling: no such file or directory",
	} {
		w := newWorld()
		w.in.Reset(legal)
		require.Equal(t, cli.ExitUsage, w.do("check", "--model", "register", "--page", page, "-"), page)
		require.Equal(t, "chubby: "+want+"\n", w.err.String())
	}
	w := newWorld()
	w.in.Reset(legal)
	require.Equal(t, cli.ExitClean, w.do("check", "--model", "register", "--page", "p.html", "-"), &w.err)
	require.NoFileExists(t, "p.html")
	require.NoFileExists(t, "-")
}
