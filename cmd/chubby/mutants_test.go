package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/chubbycell/chubby/internal/cli"
	"github.com/chubbycell/chubby/internal/schema"
	"github.com/chubbycell/chubby/sim/mutants"
)

const victim = `package main

import "fmt"

func main() {
	fmt.Println(` + "`" + `{"totals":{"seeds":5,"counted":5},"failures":[]}` + "`" + `)
}
`

const diffs = `# id: A1
# title: it is caught
# property: S1
# priority: A
--- a/cmd/chubby/main.go
+++ b/cmd/chubby/main.go
@@ -5,3 +5,3 @@
 func main() {
-	fmt.Println(` + "`" + `{"totals":{"seeds":5,"counted":5},"failures":[]}` + "`" + `)
+	fmt.Println(` + "`" + `{"totals":{"seeds":3,"counted":2},"failures":[{"seed":3,"property":"S1","text":"two values"}]}` + "`" + `)
 }
`

const survivor = `# id: B1
# title: no test notices
# property: L1
# priority: A
--- a/cmd/chubby/main.go
+++ b/cmd/chubby/main.go
@@ -5,2 +5,3 @@
 func main() {
+	fmt.Print()
 	fmt.Println(` + "`" + `{"totals":{"seeds":5,"counted":5},"failures":[]}` + "`" + `)
`

// plant makes a source tree with two planted bugs.
func plant(t *testing.T) string {
	root := t.TempDir()
	for path, text := range map[string]string{
		"go.mod":              "module github.com/chubbycell/chubby\n\ngo 1.26\n",
		"cmd/chubby/main.go":  victim,
		"sim/mutants/A1.diff": diffs,
		"sim/mutants/B1.diff": survivor,
	} {
		path = filepath.Join(root, path)
		require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o755))
		require.NoError(t, os.WriteFile(path, []byte(text), 0o644))
	}
	return root
}

func TestPlantedBugsAreHunted(t *testing.T) {
	root := plant(t)
	w := newWorld()
	require.Equal(t, cli.ExitBroken, w.do("sim", "mutants", "--repo", root, "-o", "json"))
	require.Equal(t, huntSchema, schema.Accept(t, projectAt, w.out.Bytes()))
	var h hunted
	require.NoError(t, json.Unmarshal(w.out.Bytes(), &h))
	require.Len(t, h.Mutants, 2)
	require.Equal(t, mutants.Caught, h.Mutants[0].Outcome)
	require.Equal(t, mutants.Survived, h.Mutants[1].Outcome)
	require.Equal(t, 1, h.Wrong, "B1 has priority A and survived")

	require.Equal(t, cli.ExitClean, w.do("sim", "mutants", "a1", "--repo", root), "only the one named")
	require.Regexp(t, `A1 +A +caught by S1 \(seed 3; 3 seeds, .* s\) +it is caught`, w.out.String())
	require.Contains(t, w.out.String(), "1 of 1 bugs caught; 0 wrong")
}

func TestDiffsWithoutARowAreListed(t *testing.T) {
	root := plant(t)
	w := newWorld()
	require.Equal(t, cli.ExitClean, w.do("sim", "mutants", "--list", "--repo", root, "b1", "P05"), w.err.String())
	require.Equal(t, `ID   PRI  PROPERTY  TITLE
B1   A    L1        no test notices
P05  A    absent    the accept handler omits the ballot comparison
                      why not: this source tree has no diff of it
`, w.out.String())
	require.Equal(t, cli.ExitUsage, w.do("sim", "mutants", "Q9", "--repo", root))
	require.Contains(t, w.err.String(), `no planted bug "Q9"`)
	require.Equal(t, cli.ExitUsage, w.do("sim", "mutants", "Q9", "--list", "--repo", root))
	require.Contains(t, w.err.String(), `no planted bug "Q9"`)
}

// A bug that was considered and not planted is told with its reason.
func TestEveryRowIsListed(t *testing.T) {
	w := newWorld()
	require.Equal(t, cli.ExitClean, w.do("sim", "mutants", "--list", "-o", "json"), w.err.String())
	var list mutantList
	require.NoError(t, json.Unmarshal(w.out.Bytes(), &list))
	all := list.Mutants
	rows := mutants.Rows()
	require.Len(t, all, len(rows))
	require.Equal(t, cli.ExitClean, w.do("sim", "mutants", "--list"))
	for i, r := range rows {
		require.Equal(t, []any{r.ID, r.Group, r.IsPlanted(), r.Reason, r.Note}, []any{all[i].ID, all[i].Group, all[i].Applied, all[i].Reason, all[i].Note})
		require.Equal(t, r.IsPlanted(), len(all[i].Files) > 0, r.ID)
		for _, text := range []string{all[i].Title, r.Reason, r.Note} {
			require.Contains(t, w.out.String(), text, r.ID)
		}
	}
	require.Regexp(t, `(?m)^P20 +B +absent +ballots are numbered`, w.out.String())
	require.Regexp(t, `(?m)^Z01 +C +survives +control:`, w.out.String())
}

func TestABugThatIsNotPlantedIsNotHunted(t *testing.T) {
	w := newWorld()
	require.Equal(t, cli.ExitUsage, w.do("sim", "mutants", "p20"))
	require.Contains(t, w.err.String(), "chubby: P20 is not planted: later, with changes of membership")
}
