package mutants

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/chubbycell/chubby/internal/typecheck"
)

const diff = `# id: T1
# title: three becomes four
# property: S1, I-A2
# priority: A
--- a/x/y.go
+++ b/x/y.go
@@ -2,3 +2,4 @@
 two
-three
+four
+and a half

`

func TestAPatchIsReadAndApplied(t *testing.T) {
	m, err := parse(diff)
	require.NoError(t, err)
	require.Equal(t, "T1", m.ID)
	require.Equal(t, []string{"S1", "I-A2"}, m.Properties)
	require.Equal(t, []string{"x/y.go"}, m.Patch.Paths())

	got, err := m.Patch.files[0].apply("one\ntwo\nthree\n\nfive\n")
	require.NoError(t, err)
	require.Equal(t, "one\ntwo\nfour\nand a half\n\nfive\n", got)
}

func TestAHunkFollowsCodeThatMoved(t *testing.T) {
	m, err := parse(diff)
	require.NoError(t, err)
	got, err := m.Patch.files[0].apply("a\nb\nc\none\ntwo\nthree\n\nfive\n")
	require.NoError(t, err)
	require.Equal(t, "a\nb\nc\none\ntwo\nfour\nand a half\n\nfive\n", got)
}

func TestAHunkWhoseCodeChangedDoesNotApply(t *testing.T) {
	m, err := parse(diff)
	require.NoError(t, err)
	_, err = m.Patch.files[0].apply("one\ntwo\nthirty\n\nfive\n")
	require.ErrorContains(t, err, "x/y.go: the hunk at line 2 does not apply")
}

func TestMalformedMutantsAreRefused(t *testing.T) {
	for name, text := range map[string]string{
		"no header":   "--- a/x\n+++ b/x\n@@ -1 +1 @@\n-a\n+b\n",
		"no priority": "# id: X\n# title: t\n# property: S1\n--- a/x\n+++ b/x\n@@ -1 +1 @@\n-a\n+b\n",
		"no diff":     "# id: X\n# title: t\n# property: S1\n# priority: A\n",
		"cut short":   "# id: X\n# title: t\n# property: S1\n# priority: A\n--- a/x\n+++ b/x\n@@ -1,3 +1,3 @@\n-a\n+b\n",
		"noise":       "# id: X\n# title: t\n# property: S1\n# priority: A\nhello\n",
	} {
		_, err := parse(text)
		require.Error(t, err, name)
	}
}

// Every diff applies to the present product code. A diff that does not apply plants no bug.
func TestEveryPlantedBugStillApplies(t *testing.T) {
	root, err := Root(".")
	require.NoError(t, err)
	all, err := Load(root)
	require.NoError(t, err)
	for _, m := range all {
		changed, err := m.Apply(root)
		require.NoError(t, err)
		for path, text := range changed {
			before, err := os.ReadFile(filepath.Join(root, path))
			require.NoError(t, err)
			require.NotEqual(t, string(before), text, "mutant %s changes nothing in %s", m.ID, path)
		}
	}
}

// Every mutant compiles. A diff may apply and not compile because other code has changed.
func TestEveryPlantedBugCompiles(t *testing.T) {
	root, err := Root(".")
	require.NoError(t, err)
	all, err := Load(root)
	require.NoError(t, err)
	module, err := typecheck.Load(root)
	require.NoError(t, err)
	for _, m := range all {
		changed, err := m.Apply(root)
		if err == nil {
			err = module.Check(changed)
		}
		if err != nil {
			t.Errorf("mutant %s does not compile: %v", m.ID, err)
		}
	}
}
