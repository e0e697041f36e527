package linearizability

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

const fileSample = `{"format":"chubby-history","version":1,"model":"file"}
{"id":0,"client":1,"call":1,"return":2,"slot":1,"outcome":"ok","input":{"op":"open","path":"/d","create":"may","kind":"directory","names":["r","w","c"]},"output":{"created":true,"stat":{"kind":"directory","instance":4,"acl":4,"lock":4,"children":0,"names":["r","w","c"]}}}
{"id":1,"client":1,"call":3,"return":4,"slot":2,"outcome":"ok","input":{"op":"open","path":"/d/f","dir":"/d","instance":4,"create":"must","kind":"file","ephemeral":true,"contents":"a<b"},"output":{"created":true,"stat":{"kind":"file","ephemeral":true,"instance":5,"content":5,"acl":5,"lock":5,"length":3,"checksum":"2471ac98a95a95dd"}}}
{"id":2,"client":1,"call":5,"return":6,"outcome":"ok","input":{"op":"open","path":"/d/f"},"output":{"created":false}}
{"id":3,"client":1,"call":7,"return":8,"outcome":"ok","input":{"op":"get","path":"/d/f","instance":5},"output":{"contents":"a<b","stat":{"content":5}}}
{"id":4,"client":1,"call":9,"return":10,"slot":3,"outcome":"ok","input":{"op":"set","path":"/d/f","instance":5,"contents":{"base64":"/wA="},"when":5},"output":{"stat":{"content":9}}}
{"id":5,"client":1,"call":11,"return":12,"outcome":"ok","input":{"op":"set","path":"/d/f","instance":5,"contents":"","when":5},"output":{"code":"conflict","stat":{"content":9}}}
{"id":6,"client":1,"call":13,"return":14,"slot":4,"outcome":"ok","input":{"op":"setacl","path":"/d/f","instance":5,"names":["r","x",""]},"output":{}}
{"id":7,"client":1,"call":15,"slot":5,"outcome":"unknown","input":{"op":"lock","path":"/d/f","instance":5},"output":{"stat":{"lock":11}}}
{"id":8,"client":2,"call":16,"return":17,"outcome":"ok","input":{"op":"stat","path":"/d/f","instance":5},"output":{"stat":{"lock":11,"names":["r","x","c"]}}}
{"id":9,"client":2,"call":18,"return":19,"outcome":"ok","input":{"op":"readdir","path":"/d","instance":4,"after":"e"},"output":{"children":[{"name":"f","stat":{"kind":"file","ephemeral":true}}]}}
{"id":10,"client":2,"call":20,"return":21,"outcome":"ok","input":{"op":"readdir","path":"/d"},"output":{"children":[],"more":true}}
{"id":11,"client":2,"call":22,"return":23,"outcome":"ok","input":{"op":"delete","path":"/d","instance":4},"output":{"code":"not empty"}}
{"id":12,"client":2,"call":24,"return":25,"slot":6,"outcome":"ok","input":{"op":"delete","path":"/d/f","instance":5},"output":{}}
{"id":13,"client":2,"call":26,"return":27,"outcome":"ok","input":{"op":"get","path":"/d/f","instance":5},"output":{"code":"gone"}}
{"id":14,"client":2,"call":28,"return":29,"outcome":"failed","input":{"op":"delete","path":"/d","instance":4}}
`

func TestAFileOfFilesIsPinned(t *testing.T) {
	h, err := ReadJSONL(strings.NewReader(fileSample), File(), ReadOptions{})
	require.NoError(t, err)
	require.Equal(t, fileOperation{
		ID: 4, Client: 1, Call: 9, Return: 10, At: Position{Slot: 3}, Outcome: OutcomeOK,
		Input: set("/d/f", 5, "\xff\x00", 5), Output: FileOutput{Stat: FileStat{Content: 9}},
	}, h.Operations()[4])
	require.Equal(t, FileOutput{Created: true, Stat: FileStat{
		Kind: FilePlain, Ephemeral: true, Instance: 5, Content: 5, ACL: 5, Lock: 5, Length: 3, Checksum: 0x2471ac98a95a95dd,
	}}, h.Operations()[1].Output)
	require.Equal(t, FileOutput{Children: []FileChild{{Name: "f", Stat: FileStat{Kind: FilePlain, Ephemeral: true, Length: -1}}}}, h.Operations()[9].Output)
	legalAsWritten(t, File(), h, fileSample)
}

func TestFaultsOfFilesNameLineAndField(t *testing.T) {
	const call, ret = `{"client":1,"call":3,"input":`, `{"client":1,"call":3,"return":4,"input":`
	for _, c := range []struct{ line, says string }{
		{call + `{"op":"mkdir","path":"/d"}}`, `line 1: input.op: there is no operation "mkdir"`},
		{call + `{"op":"get"}}`, `line 1: input.path: missing`},
		{call + `{"op":"get","path":7,"x":1}}`, `unknown field "x"`},
		{call + `{"op":"get","path":true}}`, `line 1: input.path: not a string`},
		{call + `{"op":"get","path":"a"}}`, `line 1: input.path: "a" is not`},
		{call + `{"op":"get","path":"/a","instance":-1}}`, `line 1: input.instance: number -1 where uint64 belongs`},
		{call + `{"op":"get","path":"/a","when":1}}`, `line 1: input.when: does not belong to get`},
		{call + `{"op":"get","path":"/a","after":"b"}}`, `line 1: input.after: does not belong to get`},
		{call + `{"op":"get","path":"/a","contents":"b"}}`, `line 1: input.contents: does not belong to get`},
		{call + `{"op":"set","path":"/a"}}`, `line 1: input.contents: missing`},
		{call + `{"op":"set","path":"/a","contents":"","names":["r","w","c"]}}`, `line 1: input.names: does not belong to set`},
		{call + `{"op":"setacl","path":"/a"}}`, `line 1: input.names: missing`},
		{call + `{"op":"setacl","path":"/a","names":["r"]}}`, `line 1: input.names: 1 of them`},
		{call + `{"op":"open","path":"/a","instance":3}}`, `line 1: input.instance: does not belong to open`},
		{call + `{"op":"open","path":"/a","create":"often"}}`, `line 1: input.create: "often" is not never, may or must`},
		{call + `{"op":"open","path":"/a","create":"may"}}`, `line 1: input.kind: missing`},
		{call + `{"op":"open","path":"/a","kind":"file"}}`, `line 1: input.kind: does not belong to open`},
		{call + `{"op":"open","path":"/a","create":"may","kind":"link"}}`, `line 1: input.kind: "link" is not directory or file`},
		{ret + `{"op":"open","path":"/a"}}`, `line 1: output.created: missing`},
		{ret + `{"op":"get","path":"/a"},"output":{}}`, `line 1: output.contents: missing`},
		{ret + `{"op":"get","path":"/a"},"output":{"code":"lost"}}`, `line 1: output.code: there is no code "lost"`},
		{ret + `{"op":"get","path":"/a"},"output":{"code":"gone","contents":"b"}}`, `line 1: output.contents: does not belong`},
		{ret + `{"op":"get","path":"/a"},"output":{"contents":[]}}`, `line 1: output.contents: not a string`},
		{ret + `{"op":"delete","path":"/a"},"output":{"stat":{}}}`, `line 1: output.stat: does not belong`},
		{ret + `{"op":"stat","path":"/a"},"output":{"stat":{"kind":"link"}}}`, `line 1: output.stat.kind: "link" is not`},
		{ret + `{"op":"stat","path":"/a"},"output":{"stat":{"kind":"file","children":1}}}`, `line 1: output.stat.children: does not belong`},
		{ret + `{"op":"stat","path":"/a"},"output":{"stat":{"length":1}}}`, `line 1: output.stat.length: does not belong`},
		{ret + `{"op":"stat","path":"/a"},"output":{"stat":{"kind":"file","length":-1}}}`, `line 1: output.stat.length: number -1`},
		{ret + `{"op":"stat","path":"/a"},"output":{"stat":{"kind":"file","checksum":"xyz"}}}`, `line 1: output.stat.checksum: "xyz" is not 64 bits in hex`},
		{ret + `{"op":"stat","path":"/a"},"output":{"stat":{"names":["r"]}}}`, `line 1: output.stat.names: 1 of them`},
		{ret + `{"op":"readdir","path":"/a"},"output":{"more":true}}`, `line 1: output.children: missing`},
		{ret + `{"op":"readdir","path":"/a"},"output":{"children":[{}]}}`, `line 1: output.children[0].name: missing`},
		{ret + `{"op":"readdir","path":"/a"},"output":{"children":[{"name":[]}]}}`, `line 1: output.children[0].name: not a string`},
		{ret + `{"op":"readdir","path":"/a"},"output":{"children":[{"name":"b","stat":{"kind":"x"}}]}}`, `line 1: output.children[0].stat.kind: "x" is not`},
	} {
		requireFault(t, File(), c.line, 1, c.says)
	}
}

func TestWrittenFileHistoriesReadBackTheSame(t *testing.T) {
	for seed := range uint64(300) {
		p := splitMix(seed)
		h := simulateFiles(p, 3, 12, p(2) == 0, "/", "/d", "/d/x")
		requireRoundTrip(t, File(), mutate(p, h, mutateFile))
	}
}

func FuzzReadFileJSONL(f *testing.F) {
	f.Add([]byte(fileSample))
	fuzzJSONL(f, File())
}
