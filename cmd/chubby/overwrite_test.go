package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/chubbycell/chubby/internal/cli"
)

// badHistory is illegal, so that --page has something to write.
const badHistory = `{"client":1,"call":1,"return":2,"input":{"op":"write","value":"a"}}
{"client":2,"call":3,"return":4,"input":{"op":"read"},"output":{"value":"b"}}
`

// unharmed runs a command that is refused and leaves a file as it was.
func unharmed(t *testing.T, w *world, file, want string, args ...string) {
	t.Helper()
	before, err := os.ReadFile(file)
	require.NoError(t, err)
	require.Equal(t, cli.ExitUsage, w.do(args...), "%v: %s", args, &w.err)
	require.Contains(t, w.err.String(), want)
	after, err := os.ReadFile(file)
	require.NoError(t, err)
	require.Equal(t, string(before), string(after), "%v", args)
}

func TestAPageDoesNotOverwriteTheHistory(t *testing.T) {
	dir := t.TempDir()
	t.Chdir(dir)
	require.NoError(t, os.WriteFile("h.jsonl", []byte(badHistory), 0o644))
	require.NoError(t, os.Link("h.jsonl", "hard"))
	require.NoError(t, os.Symlink("h.jsonl", "soft"))
	w := newWorld()
	for _, page := range []string{"h.jsonl", "./h.jsonl", filepath.Join(dir, "h.jsonl"), "hard", "soft"} {
		unharmed(t, w, "h.jsonl", "--page "+page+": the same file as the input h.jsonl", "check", "--model", "register", "--page", page, "h.jsonl")
		unharmed(t, w, "h.jsonl", "the same file as the input soft", "check", "--model", "register", "--page", page, "soft")
	}
	f, err := os.Open("h.jsonl")
	require.NoError(t, err)
	defer f.Close()
	w.In = f
	unharmed(t, w, "h.jsonl", "the same file as the input stdin", "check", "--model", "register", "--page", "hard", "-")
	require.Equal(t, cli.ExitBroken, w.do("check", "--model", "register", "--page", "page.html", "h.jsonl"))
	require.FileExists(t, "page.html")
}

// What is printed is not written into what is read, as >> would.
func TestStdoutIsNotTheInput(t *testing.T) {
	root := t.TempDir()
	t.Chdir(root)
	writeLog(t, root)
	writeSnapshot(t, root)
	backup := writeBackup(t, root)
	require.NoError(t, os.WriteFile("h.jsonl", []byte(badHistory), 0o644))
	segment := "log/0000000000000001.wal"
	for line, file := range map[string]string{
		"check --model register h.jsonl":                "h.jsonl",
		"wal dump " + segment:                           segment,
		"wal dump log":                                  segment,
		"snapshot dump " + snapName:                     snapName,
		"backup check " + backup:                        backup,
		"backup restore --members 1 --to new " + backup: backup,
	} {
		w := newWorld()
		f, err := os.OpenFile(file, os.O_WRONLY|os.O_APPEND, 0)
		require.NoError(t, err)
		w.Out = f
		unharmed(t, w, file, "stdout is the input "+file, strings.Fields(line)...)
		require.NoError(t, f.Close())
	}
}

func TestAReportDoesNotOverwriteTheSource(t *testing.T) {
	root := plant(t)
	t.Chdir(root)
	w := newWorld()
	diff := "sim/mutants/A1.diff"
	require.FileExists(t, diff)
	require.NoError(t, os.Symlink(diff, "report.md"))
	require.NoError(t, os.WriteFile("same.jsonl", nil, 0o644))
	require.NoError(t, os.Link("same.jsonl", "same.md"))
	require.NoError(t, os.Link("go.mod", "book.jsonl"))
	for report, file := range map[string]string{diff: diff, "report.md": diff, "go.mod": "go.mod", "book.md": "go.mod", "same.md": "same.jsonl"} {
		for _, more := range []string{"--onward", "--fresh"} {
			unharmed(t, w, file, "--report "+report, "sim", "mutants", "--repo", root, "--seeds", "1", more, "--report", report)
		}
	}
}

// Where a directory is to be written, the input is not in the way of it.
func TestACellIsNotMadeOverItsBackup(t *testing.T) {
	root := t.TempDir()
	t.Chdir(root)
	w, name := newWorld(), writeBackup(t, root)
	require.NoError(t, os.MkdirAll("cell/1", 0o755))
	text, err := os.ReadFile(name)
	require.NoError(t, err)
	require.NoError(t, os.WriteFile("cell/1/backup", text, 0o644))
	require.NoError(t, os.WriteFile("cell/2", text, 0o644))
	unharmed(t, w, "cell/1/backup", "not empty", "backup", "restore", "cell/1/backup", "--members", "1", "--to", "cell")
	unharmed(t, w, "cell/2", "cell", "backup", "restore", "cell/2", "--members", "2", "--to", "cell")
	unharmed(t, w, name, "not a directory", "backup", "restore", name, "--members", "1", "--to", name)
}
