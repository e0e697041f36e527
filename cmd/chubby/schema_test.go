package main

import (
	"os"
	"path/filepath"
	"reflect"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/chubbycell/chubby/internal/schema"
	"github.com/chubbycell/chubby/linearizability"
)

var documents = []schema.Document{
	{Name: checkSchema, Title: "what chubby check -o json prints", Type: linearizability.Report{}},
	{Name: huntSchema, Title: "what chubby sim mutants -o json prints", Type: hunted{}},
	{Name: campaignSchema, Title: "what chubby sim mutants --report FILE -o json prints", Type: scored{}},
	{Name: versionSchema, Title: "what chubby version -o json prints", Type: versions{}},
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
	} {
		w := newWorld()
		w.do(append(c.args, "-o", "json")...)
		require.NotEmpty(t, w.out.Bytes(), w.err.String())
		require.Equal(t, c.want, schema.Accept(t, projectAt, w.out.Bytes()))
	}
}
