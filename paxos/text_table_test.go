package paxos

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

var traceLines = []struct {
	of   any
	line string
}{
	{Prepare{Ballot: Ballot{2, 1}, Boot: 3, From: 7}, "prepare 2.1 boot 3 from 7"},
	{Promise{Ballot: Ballot{2, 1}, Boot: 3, Page: Range{7, MaxSlot}, FirstOpen: 7, Votes: []Vote{
		{Slot: 7, Ballot: Ballot{1, 2}, Value: "\x03\x96\xa1\x53"}, {Slot: 8, Ballot: Ballot{1, 2}, Lost: true},
	}}, "promise 2.1 boot 3 [7,) votes 7@1.2=v#### 8@1.2=lost open 7"},
	{Promise{Ballot: Ballot{2, 1}, Boot: 3, Page: Range{7, MaxSlot}, FirstOpen: 7}, "promise 2.1 boot 3 [7,) votes none open 7"},
	{Accept{Ballot: Ballot{2, 1}, Boot: 3, Slot: 9, Value: "\x01a"}, "accept 2.1 boot 3 slot 9 v####"},
	{Accepted{Ballot: Ballot{2, 1}, Boot: 3, Slot: 9}, "accepted 2.1 boot 3 slot 9"},
	{Nack{Ballot: Ballot{2, 1}, Boot: 3, Slot: 9, Promised: Ballot{3, 2}}, "nack 2.1 boot 3 promised 3.2 slot 9"},
	{Chosen{Ballot: Ballot{2, 1}, Slots: Range{7, 10}}, "chosen 2.1 [7,10)"},
	{Heartbeat{Ballot: Ballot{2, 1}, Boot: 3, Seq: 12, FirstOpen: 10}, "heartbeat 2.1 boot 3 #12 open 10"},
	{HeartbeatReply{Ballot: Ballot{2, 1}, Boot: 3, Seq: 12, FirstOpen: 9}, "alive 2.1 boot 3 #12 open 9"},
	{HeartbeatReply{Ballot: Ballot{2, 1}, Boot: 3, Seq: 12, FirstOpen: 9, Granted: true}, "alive 2.1 boot 3 #12 open 9 granted"},
	{LeaseRejection{Ballot: Ballot{2, 1}, Boot: 3, Slot: 9, Left: 250 * time.Millisecond}, "lease-rejection 2.1 boot 3 slot 9 for 250ms"},
	{Released{Ballot: Ballot{2, 1}, Boot: 3}, "released 2.1 boot 3"},
	{Fetch{Slots: Range{7, 20}}, "fetch [7,20)"},
	{FetchReply{From: 7, Values: make([]Value, 3), FirstOpen: 20, Floor: 1}, "fetched from 7 3 values open 20"},
	{Booted{Boot: 3}, "booted 3"},
	{Booted{Boot: 3, Grant: time.Second}, "booted 3 grant 1s"},
	{Promised{Ballot: Ballot{2, 1}}, "promised 2.1"},
	{Voted{Slot: 9, Ballot: Ballot{2, 1}, Value: "\x01a"}, "voted 2.1 slot 9 v####"},
	{Learned{Slot: 9, Value: "\x01a"}, "learned slot 9 v####"},
	{Settled{Slots: Range{7, 10}}, "settled [7,10)"},
	{Unreadable{Slot: 9, Ballot: Ballot{2, 1}}, "unreadable 2.1 slot 9"},
	{Unlearned{Slot: 9}, "unlearned slot 9"},
}

// digests matches what Value.String prints.
var digests = regexp.MustCompile(`\bv[0-9a-f]{8}\b`)

// undigested replaces each value by v####.
func undigested(line string) string { return digests.ReplaceAllString(line, "v####") }

func TestTraceLines(t *testing.T) {
	for _, c := range traceLines {
		require.Equal(t, c.line, undigested(fmt.Sprint(c.of)), "%T", c.of)
	}
}

// The example line in each type's doc comment is the line it prints.
func TestDocCommentsShowTheTraceLine(t *testing.T) {
	shown := map[string][]string{}
	for _, file := range []string{"message.go", "record.go"} {
		f, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.ParseComments)
		require.NoError(t, err)
		for _, d := range f.Decls {
			g, ok := d.(*ast.GenDecl)
			if !ok || g.Doc == nil {
				continue
			}
			name := g.Specs[0].(*ast.TypeSpec).Name.Name
			for _, l := range g.Doc.List {
				if line, ok := strings.CutPrefix(l.Text, "//\t"); ok {
					shown[name] = append(shown[name], undigested(line))
				}
			}
		}
	}
	printed := map[string][]string{}
	for _, c := range traceLines {
		name := strings.TrimPrefix(fmt.Sprintf("%T", c.of), "paxos.")
		printed[name] = append(printed[name], c.line)
	}
	require.Equal(t, printed, shown)
}

func TestOutputLines(t *testing.T) {
	ping := Heartbeat{Ballot: Ballot{2, 1}, Boot: 3, Seq: 1, FirstOpen: 4}
	o := Output{
		Append: []Record{Promised{Ballot: Ballot{2, 1}}, Settled{Slots: Range{1, 2}}},
		First:  7,
		SyncTo: 7,
		Send:   []Envelope{{2, ping}, {3, ping}, {2, Fetch{Slots: Range{1, 2}}}},
		Chosen: []Entry{{Slot: 3, Value: Noop}},
		Tenure: &Tenure{Leader: 1, Ballot: Ballot{2, 1}, Mine: true, From: 5},
	}
	require.Equal(t, []string{
		"append #7 promised 2.1",
		"append #8 settled [1,2)",
		"sync   #7",
		"send   heartbeat 2.1 boot 3 #1 open 4 -> 2 3",
		"send   fetch [1,2) -> 2",
		"chosen slot 3 noop",
		"tenure leads 2.1 from 5",
	}, o.Lines())
	require.Empty(t, (&Output{}).Lines())
	require.Equal(t, "follows no leader", Tenure{}.String())
	require.Equal(t, "follows 3 at 2.3", Tenure{Leader: 3, Ballot: Ballot{2, 3}}.String())
}
