package cellcmd

import (
	"testing"

	"github.com/chubbycell/chubby/internal/bench"
	"github.com/chubbycell/chubby/internal/schema"
	"github.com/chubbycell/chubby/internal/torture"
)

// project is the root of the source.
const project = "../.."

// Neither the documents nor the files that describe them change alone. The tests of bench and
// torture hold what is printed to them.
func TestSchemasAreThoseOfTheTypes(t *testing.T) {
	for _, d := range []schema.Document{
		{Name: tortureSchema, Title: "what chubby torture -o json prints", Type: torture.Report{}},
		{Name: benchSchema, Title: "what chubby bench -o json prints, and --file gets", Type: bench.Report{}},
		{Name: configSchema, Title: "what chubby serve --check-config -o json prints", Type: checkedConfig{}},
		{Name: devSchema, Title: "the line that chubby dev -o json prints", Type: devCellReady{}},
	} {
		d.Root = project
		d.Golden(t)
	}
}
