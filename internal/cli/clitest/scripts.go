package clitest

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/cockroachdb/datadriven"
	"github.com/stretchr/testify/require"
)

// Scripts runs every file of testdata, each in a directory of its own. In a file, "chubby" is
// a case: its first line is a command line, and behind it comes what that reads; run returns
// what the case gives (Printed). "file name=NAME" writes a file, and "show" gives one.
func Scripts(t *testing.T, run func(t *testing.T, d *datadriven.TestData, line, input string) string) {
	dir, err := filepath.Abs("testdata")
	require.NoError(t, err)
	files, err := filepath.Glob(filepath.Join(dir, "*.txt"))
	require.NoError(t, err)
	require.NotEmpty(t, files)
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txt"), func(t *testing.T) {
			t.Chdir(t.TempDir())
			datadriven.RunTest(t, file, func(t *testing.T, d *datadriven.TestData) string {
				if d.Cmd == "file" || d.Cmd == "show" {
					return keep(t, d)
				}
				require.Equal(t, "chubby", d.Cmd)
				line, input, _ := strings.Cut(d.Input, "\n")
				return run(t, d, line, input)
			})
		})
	}
}

// keep writes a file, or gives one.
func keep(t *testing.T, d *datadriven.TestData) string {
	if d.Cmd == "show" {
		text, err := os.ReadFile(strings.TrimSpace(d.Input))
		require.NoError(t, err)
		return string(text)
	}
	var name string
	d.ScanArgs(t, "name", &name)
	require.NoError(t, os.MkdirAll(filepath.Dir(name), 0o755))
	require.NoError(t, os.WriteFile(name, []byte(d.Input+"\n"), 0o644))
	return ""
}

// Printed is what a program has given: what it printed to stdout, what to stderr, and its
// exit code.
func Printed(out, err string, code int) string {
	var b strings.Builder
	b.WriteString(out)
	for line := range strings.Lines(err) {
		b.WriteString("stderr: " + strings.TrimRight(line, "\n") + "\n")
	}
	fmt.Fprintf(&b, "exit %d\n", code)
	return b.String()
}
