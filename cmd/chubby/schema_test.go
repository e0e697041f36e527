package main

import (
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"testing"

	"github.com/spf13/cobra"
	"github.com/stretchr/testify/require"

	"github.com/chubbycell/chubby/internal/cli"
	"github.com/chubbycell/chubby/internal/schema"
	"github.com/chubbycell/chubby/linearizability"
)

var documents = []schema.Document{
	{Name: checkSchema, Title: "what chubby check -o json prints", Type: linearizability.Report{}},
	{Name: huntSchema, Title: "what chubby sim mutants -o json prints", Type: hunted{}},
	{Name: campaignSchema, Title: "what chubby sim mutants --report FILE -o json prints", Type: scored{}},
	{Name: mutantsSchema, Title: "what chubby sim mutants --list -o json prints", Type: mutantList{}},
	{Name: versionSchema, Title: "what chubby version -o json prints", Type: versions{}},
	{Name: restoreSchema, Title: "what chubby backup restore -o json prints", Type: restored{}},
	{Name: backupSchema, Title: "what chubby backup check -o json prints", Type: backupFacts{}},
	{Name: snapshotSchema, Title: "what chubby snapshot dump -o json prints", Type: snapshotDump{}},
	{Name: walSchema, Title: "a line of what chubby wal dump -o json prints", Type: walLine{}},
	{Name: tourSchema, Title: "what chubby tour -o json prints", Type: tourList{}},
	{Name: sceneSchema, Title: "what chubby tour NAME -o json prints", Type: stop{}},
	{Name: labSchema, Title: "what chubby lab -o json prints", Type: labSystems{}},
	{Name: runSchema, Title: "what chubby lab run SYSTEM BREAK -o json prints", Type: labRun{}},
	{Name: lessonsSchema, Title: "what chubby lab lesson -o json prints", Type: labLessons{}},
	{Name: lessonSchema, Title: "what chubby lab lesson NAME -o json prints", Type: labPlayed{}},
	{Name: matrixSchema, Title: "what chubby lab matrix -o json prints", Type: labMatrix{}},
	{Name: loadSchema, Title: "what chubby lab load SYSTEM -o json prints", Type: labLoad{}},
	{Name: crowdSchema, Title: "what chubby lab crowd -o json prints", Type: labCrowd{}},
	{Name: outageSchema, Title: "what chubby lab outage -o json prints", Type: labOutage{}},
	{Name: sweepSchema, Title: "what chubby lab sweep NAME -o json prints", Type: labSweep{}},
}

// projectAt is the same from any directory.
var projectAt, _ = filepath.Abs(project)

// Neither the documents nor the files that describe them change alone.
func TestSchemasAreThoseOfTheTypes(t *testing.T) {
	for _, d := range documents {
		d.Root = projectAt
		d.Enums = map[reflect.Type][]string{
			reflect.TypeFor[linearizability.Verdict](): {"undecided", "legal", "illegal"},
			reflect.TypeFor[linearizability.Bound]():   {"steps", "memory", "time", "illegal", "interrupt"},
		}
		d.Golden(t)
	}
}

// What the commands print is what the files describe; so is what each script of testdata prints,
// and what the tests of hunts and campaigns do.
func TestSchemasDescribeWhatIsPrinted(t *testing.T) {
	file := filepath.Join(t.TempDir(), "h.jsonl")
	history := `{"client":1,"call":1,"return":4,"slot":3,"input":{"op":"put","key":"g/x","value":"a"}}
{"client":2,"call":2,"return":5,"input":{"op":"get","key":"g/x"},"output":{"value":"b"}}
`
	require.NoError(t, os.WriteFile(file, []byte(history), 0o600))
	for _, c := range []struct {
		args []string
		want string
	}{
		{[]string{"check", "--model", "kv", file}, checkSchema},
		{[]string{"version"}, versionSchema},
		{[]string{"sim", "mutants", "--list"}, mutantsSchema},
		{[]string{"tour"}, tourSchema},
		{[]string{"tour", "lost-vote"}, sceneSchema},
		{[]string{"lab"}, labSchema},
		{[]string{"lab", "run", "setpx", "X1"}, runSchema},
		{[]string{"lab", "lesson"}, lessonsSchema},
		{[]string{"lab", "lesson", "release-race"}, lessonSchema},
		{[]string{"lab", "matrix", "setpx", "redlock", "--seeds", "1"}, matrixSchema},
		{[]string{"lab", "matrix", "etcd", "--seeds", "1", "--faults", "pause", "--resources", "read-and-write-check"}, matrixSchema},
		{[]string{"lab", "load", "etcd", "--clients", "3", "--length", "20s", "--seeds", "2"}, loadSchema},
		{[]string{"lab", "crowd", "setpx", "--waiters", "1,2", "--seeds", "1"}, crowdSchema},
		{[]string{"lab", "outage", "redlock", "--seeds", "1"}, outageSchema},
		{[]string{"lab", "sweep", "pause", "setpx", "--seeds", "1"}, sweepSchema},
	} {
		w := newWorld()
		w.do(append(c.args, "-o", "json")...)
		require.NotEmpty(t, w.out.Bytes(), w.err.String())
		require.Equal(t, c.want, schema.Accept(t, projectAt, w.out.Bytes()))
	}
}

// The table has each command that prints JSON.
func TestEveryCommandWithJSONIsInTheTable(t *testing.T) {
	table, err := os.ReadFile(filepath.Join(projectAt, "docs", "schema", "README.md"))
	require.NoError(t, err)
	found := 0
	var look func(c *cobra.Command)
	look = func(c *cobra.Command) {
		if c.Flags().Lookup("output") != nil {
			found++
			require.True(t, regexp.MustCompile("`"+c.CommandPath()+"( [A-Z-][^`]*)? -o json`").Match(table), c.CommandPath())
		}
		for _, below := range c.Commands() {
			look(below)
		}
	}
	look(newApp(cli.Streams{Name: "chubby"}).root())
	require.Greater(t, found, 30)
}

// A reader of docs/schema finds each file in its table.
func TestEverySchemaIsInTheTable(t *testing.T) {
	dir := filepath.Join(projectAt, "docs", "schema")
	table, err := os.ReadFile(filepath.Join(dir, "README.md"))
	require.NoError(t, err)
	files, err := filepath.Glob(filepath.Join(dir, "*.json"))
	require.NoError(t, err)
	require.NotEmpty(t, files)
	for _, f := range files {
		require.Contains(t, string(table), "| ["+filepath.Base(f)+"]("+filepath.Base(f)+") | `chubby ")
	}
}
