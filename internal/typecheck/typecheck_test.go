package typecheck

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// tree is a module with a package, one that uses it, and one that uses this one.
var tree = map[string]string{
	"go.mod":            "module m\n\ngo 1.24\n",
	"a/a.go":            "package a\n\nfunc Two() int { return 2 }\n\nfunc half(n int) int { return n / 2 }\n\nvar _ = half(Most)\n\nconst Most = 9\n",
	"a/hidden.go":       "//go:build never\n\npackage a\n",
	"a/a_test.go":       "package a\n\nimport \"testing\"\n\nfunc TestHalf(t *testing.T) { _ = half(4) }\n\nvar Helper = Two()\n",
	"a/outside_test.go": "package a_test\n\nimport (\n\t\"m/a\"\n\t\"m/b\"\n)\n\nvar _ = a.Helper + b.Four()\n",
	"b/b.go":            "package b\n\nimport \"m/a\"\n\nvar room [a.Most]bool\n\nvar _ = room[8]\n\nfunc Four() int { return 2 * a.Two() }\n",
	"b/type.go":         "package b\n\ntype Number int\n",
	"c/number.go":       "package c\n\nimport \"m/b\"\n\nvar Number b.Number\n",
	"c/c_test.go":       "package c\n\nvar helper = Number\n",
	"c/outside_test.go": "package c_test\n\nimport (\n\t\"m/b\"\n\t\"m/c\"\n)\n\nvar _ b.Number = c.Number\n",
	"c/c.go":            "package c\n\nimport (\n\t\"fmt\"\n\t\"m/b\"\n)\n\nfunc Say() { fmt.Println(b.Four() + 1) }\n",
}

func load(t *testing.T, tree map[string]string) (*Module, error) {
	t.Helper()
	root := t.TempDir()
	for name, text := range tree {
		path := filepath.Join(root, filepath.FromSlash(name))
		require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o755))
		require.NoError(t, os.WriteFile(path, []byte(text), 0o644))
	}
	return Load(root)
}

func TestAChangeCompilesOrDoesNot(t *testing.T) {
	m, err := load(t, tree)
	require.NoError(t, err)
	for name, c := range map[string]struct {
		file, old, now string
		fault          string // of the build; "": none
		inTests        string // of the tests of a; "": none
	}{
		"another body":               {file: "a/a.go", old: "return 2 ", now: "return 3 "},
		"it cannot be parsed":        {file: "a/a.go", old: "return 2 ", now: "return return", fault: "expected operand"},
		"a name is unknown":          {file: "a/a.go", old: "return 2 ", now: "return two ", fault: "undefined: two"},
		"a variable is unused":       {file: "a/a.go", old: "return 2 ", now: "x := 2; return 2", fault: "declared and not used: x"},
		"no result":                  {file: "a/a.go", old: "return 2 ", now: "", fault: "missing return"},
		"an import is unused":        {file: "c/c.go", old: "fmt.Println", now: "println", fault: `"fmt" imported and not used`},
		"its importer breaks":        {file: "a/a.go", old: "func Two() int { return 2 }", now: "func Two() string { return \"\" }", fault: "b.go"},
		"the importer of that one":   {file: "b/b.go", old: "func Four() int { return 2 * a.Two() }", now: "func Four() bool { return a.Two() == 2 }", fault: "c.go"},
		"its importer does not care": {file: "a/a.go", old: "func half", now: "func Third() {}\n\nfunc half"},
		"a constant":                 {file: "a/a.go", old: "Most = 9", now: "Most = 8", fault: "b.go"},
		"its own call":               {file: "a/a.go", old: "func half(n int) int { return n / 2 }", now: "func half(n, by int) int { return n / by }", fault: "not enough arguments"},
		"only a test inside":         {file: "a/a.go", old: "func half(n int) int { return n / 2 }\n\nvar _ = half(Most)", now: "", inTests: "undefined: half"},
		"only a test outside":        {file: "a/a_test.go", old: "Helper = Two()", now: "Helper = \"\"", inTests: "outside_test.go"},
	} {
		t.Run(name, func(t *testing.T) {
			text := strings.Replace(tree[c.file], c.old, c.now, 1)
			require.NotEqual(t, tree[c.file], text)
			changed := map[string]string{c.file: text}
			same := func(want string, err error) {
				if want == "" {
					require.NoError(t, err)
				} else {
					require.ErrorContains(t, err, want)
				}
			}
			same(c.fault, m.Check(changed))
			same(c.fault+c.inTests, m.CheckTest(changed, "a"))
		})
	}
	require.NoError(t, m.Check(nil), "the tree is as before")
}

// All that a test imports must be of one and the same changed module.
func TestATestSeesAChangedPackageInOneWay(t *testing.T) {
	m, err := load(t, tree)
	require.NoError(t, err)
	text := strings.Replace(tree["b/b.go"], "return 2 *", "return 3 *", 1)
	require.NoError(t, m.CheckTest(map[string]string{"b/b.go": text}, "c"))
}

func TestWhatIsNotBuiltIsRefused(t *testing.T) {
	m, err := load(t, tree)
	require.NoError(t, err)
	require.ErrorContains(t, m.Check(map[string]string{"a/hidden.go": "package a\n"}), "a/hidden.go is in no package that is built here")
	require.ErrorContains(t, m.CheckTest(nil, "d"), "d has no package")
	text := strings.Replace(tree["c/c.go"], `"fmt"`, `"io"`, 1)
	require.ErrorContains(t, m.Check(map[string]string{"c/c.go": text}), "io is imported nowhere in the module today")
}

func TestATreeThatDoesNotCompileIsRefused(t *testing.T) {
	_, err := load(t, map[string]string{"go.mod": tree["go.mod"], "a/a.go": "package a\n\nvar x int = \"\"\n"})
	require.ErrorContains(t, err, "the tree itself does not compile")
}
