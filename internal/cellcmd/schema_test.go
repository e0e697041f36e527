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
		{Name: statusSchema, Title: "what chubby status -o json prints", Type: status{}},
		{Name: membersSchema, Title: "what chubby members -o json prints", Type: memberList{}},
		{Name: resignSchema, Title: "what chubby members resign -o json prints", Type: resigned{}},
		{Name: limitsSchema, Title: "what chubby limits -o json prints, and chubby limits set", Type: limits{}},
		{Name: backupNowSchema, Title: "what chubby backup now -o json prints", Type: backedUp{}},
		{Name: sessionListSchema, Title: "what chubby session list -o json prints", Type: sessionList{}},
		{Name: sessionSchema, Title: "what chubby session show ID -o json prints", Type: sessionRow{}},
		{Name: sessionLocksSchema, Title: "what chubby session locks -o json prints", Type: lockList{}},
		{Name: sessionEndSchema, Title: "what chubby session end ID... -o json prints", Type: endedList{}},
		{Name: statSchema, Title: "what chubby stat, put, mkdir and acl print with -o json", Type: stat{}},
		{Name: lsSchema, Title: "what chubby ls -o json prints", Type: listing{}},
		{Name: catSchema, Title: "what chubby cat PATH -o json prints", Type: fileRead{}},
		{Name: rmSchema, Title: "what chubby rm PATH -o json prints", Type: removed{}},
		{Name: watchSchema, Title: "a line of what chubby watch PATH -o json prints", Type: watched{}},
		{Name: sequencerSchema, Title: "what chubby sequencer check -o json prints", Type: checkedSequencer{}},
	} {
		d.Root = project
		d.Golden(t)
	}
}
