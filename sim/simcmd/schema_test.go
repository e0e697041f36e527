package simcmd

import (
	"reflect"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/chubbycell/chubby/internal/schema"
	"github.com/chubbycell/chubby/sim/runner"
)

var documents = []schema.Document{
	{Name: simSchema, Title: "what chubby sim -o json and chubby sim merge -o json print", Type: report{}},
	{Name: verifySchema, Title: "what chubby sim verify -o json prints", Type: verified{}},
	{Name: listSchema, Title: "what chubby sim list -o json prints", Type: catalogue{}},
	{Name: replaySchema, Title: "what chubby sim replay -o json prints", Type: replayed{}},
	{Name: compareSchema, Title: "what chubby sim compare -o json prints", Type: comparedSides{}},
	{Name: experimentSchema, Title: "what chubby sim experiment -o json prints of those on a grid", Type: measured{}},
	{Name: sessionsSchema, Title: "what chubby sim experiment sessions -o json prints", Type: crowded{}},
	{Name: cachingSchema, Title: "what chubby sim experiment caching -o json prints", Type: cachingReport{}},
}

// The files in docs/schema match the Go types.
func TestSchemasAreThoseOfTheTypes(t *testing.T) {
	for _, d := range documents {
		d.Root = project
		d.Enums = map[reflect.Type][]string{reflect.TypeFor[runner.End](): {"seeds", "time", "failures", "idle", "last", "interrupt"}}
		d.Golden(t)
	}
}

// The documents that commands print for real cells match the files in docs/schema. The scripts of testdata test the same
// for broken runs.
func TestSchemasDescribeWhatIsPrinted(t *testing.T) {
	t.Chdir(t.TempDir())
	short := " --duration 1s --replicas 3 --clients 1 -o json"
	for line, want := range map[string]string{
		"sim --seed 5 --out files" + short:                                       simSchema,
		"sim --seeds 0 --for 1ms --shard 1/2" + short:                            simSchema,
		"sim verify --seeds 1" + short:                                           verifySchema,
		"sim list -o json":                                                       listSchema,
		"sim compare replicas=3 replicas=5 --both duration=1s --seeds 2 -o json": compareSchema,
	} {
		w := real()
		w.do(strings.Fields(line)...)
		require.NotEmpty(t, w.out.Bytes(), "%s: %s", line, w.err.String())
		require.Equal(t, want, schema.Accept(t, projectAt, w.out.Bytes()), line)
	}
	w := real()
	w.do("sim", "replay", "files/seed-5", "-o", "json")
	require.Equal(t, replaySchema, schema.Accept(t, projectAt, w.out.Bytes()))
}
