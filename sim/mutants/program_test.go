package mutants

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

const mailed = `A change that came by mail.
--- a/cmd/chubby/main.go
+++ b/cmd/chubby/main.go
@@ -2,4 +2,4 @@
 
 func main() {
-	print("old")
+	print("new")
 }
`

const added = `--- /dev/null
+++ b/cmd/chubby/more.go
@@ -0,0 +1,1 @@
+package main
`

// toy makes a source tree with one commit.
func toy(t *testing.T) string {
	root := t.TempDir()
	write := func(path, text string) {
		path = filepath.Join(root, path)
		require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o755))
		require.NoError(t, os.WriteFile(path, []byte(text), 0o644))
	}
	write("go.mod", "module github.com/chubbycell/chubby\n\ngo 1.26\n")
	write("cmd/chubby/main.go", "package main\n\nfunc main() {\n\tprint(\"old\")\n}\n")
	for _, args := range [][]string{{"init", "-q"}, {"add", "."}, {"-c", "user.name=a", "-c", "user.email=a@example.org", "commit", "-q", "-m", "one"}} {
		_, err := runIn(t.Context(), root, nil, "git", args...)
		require.NoError(t, err)
	}
	write("mailed.diff", mailed)
	write("added.patch", added)
	return root
}

// Program builds a diff and a commit without changing the tree. The two programs differ.
func TestProgramsOfADiffAndOfACommit(t *testing.T) {
	root := toy(t)
	says := func(what string) string {
		file, err := Program(t.Context(), root, filepath.Join(t.TempDir(), "a"), what)
		require.NoError(t, err)
		out, err := exec.CommandContext(t.Context(), file).CombinedOutput()
		require.NoError(t, err)
		return string(out)
	}
	require.Equal(t, "new", says(filepath.Join(root, "mailed.diff")))
	require.Equal(t, "old", says("HEAD"))
	status, err := runIn(t.Context(), root, nil, "git", "status", "--porcelain", "-uno")
	require.NoError(t, err)
	require.Empty(t, string(status))
}

func TestWhatCannotBeBuiltIsNamed(t *testing.T) {
	root := toy(t)
	for what, says := range map[string]string{
		"nowhere":                           `"nowhere" is neither a file nor a commit of `,
		"--help":                            `"--help" is neither a file nor a commit of `,
		filepath.Join(root, "added.patch"):  "no such file",
		filepath.Join(root, "absent.patch"): "no such file",
		filepath.Join(root, "go.diff"):      "no unified diff",
	} {
		require.NoError(t, os.WriteFile(filepath.Join(root, "go.diff"), []byte("no diff"), 0o644))
		_, err := Program(t.Context(), root, filepath.Join(t.TempDir(), "a"), what)
		require.ErrorContains(t, err, says)
	}
}
