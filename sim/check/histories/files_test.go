package histories

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/chubbycell/chubby/client"
	"github.com/chubbycell/chubby/linearizability"
	"github.com/chubbycell/chubby/replica/api"
	"github.com/chubbycell/chubby/replica/state/command"
	"github.com/chubbycell/chubby/sim"
	"github.com/chubbycell/chubby/sim/model"
)

// fileStory is a cell reduced to its history of nodes.
type fileStory struct {
	t   *testing.T
	w   *sim.World
	b   *Files
	seq api.Seq
}

func newFileStory(t *testing.T) *fileStory {
	s := &fileStory{t: t, w: sim.New(sim.Config{})}
	t.Cleanup(s.w.Close)
	s.b = NewFiles(s.w, func(api.SessionID) bool { return false })
	s.b.OnCommand(&command.Applied{Number: 2, Command: command.Found{}, Verdict: command.Executed, Result: api.Result{Code: api.OK}},
		linearizability.Position{Slot: 2})
	return s
}

// act applies an operation from the log, as call seq of session 1.
func (s *fileStory) act(d command.NodeOp, r api.Result) api.Seq {
	s.seq++
	s.b.OnCommand(&command.Applied{Command: command.NodeCommand{Session: 1, Seq: s.seq, Op: d}, Verdict: command.Executed, Result: r},
		linearizability.Position{Slot: int64(10 + s.seq)})
	return s.seq
}

// told is a call and its end, as the client knows it; seq 0: it is not in the log.
func (s *fileStory) told(seq api.Seq, in linearizability.FileInput, end func(b *Files, op int)) {
	b := s.b
	op := b.History.Call(5, 0, in)
	trail := &client.CallID{}
	if seq != 0 {
		*trail = client.CallID{Session: 1, Seq: seq}
	}
	b.trails = append(b.trails, fileTrail{op: op, in: in, trail: trail})
	end(b, op)
}

func fileMade(instance api.Instance, contents string) api.Stat {
	return api.Stat{Kind: api.File, Instance: instance, Content: api.ContentGen(instance), Lock: api.LockGen(instance), ACL: api.ACLGen(instance),
		Length: uint64(len(contents)), Checksum: api.ChecksumOf(contents)}
}

func TestHistoriesOfNodesAreJudged(t *testing.T) {
	create := linearizability.FileInput{Op: linearizability.FileOpen, Path: "/f", Create: linearizability.FileCreateMust,
		Kind: linearizability.FilePlain, Contents: "a"}
	get := linearizability.FileInput{Op: linearizability.FileGet, Path: "/f", Instance: 9}
	opened := api.Result{Code: api.OK, Detail: api.Opened{Created: true, Stat: fileMade(9, "a")}}
	ok := func(out linearizability.FileOutput) func(*Files, int) {
		return func(b *Files, op int) { b.History.OK(op, 0, out) }
	}
	made := ok(linearizability.FileOutput{Created: true, Stat: model.FileStat(fileMade(9, "a"))})
	read := func(text string) func(*Files, int) {
		return ok(linearizability.FileOutput{Contents: text, Stat: model.FileStat(fileMade(9, text))})
	}
	for name, c := range map[string]struct {
		story func(s *fileStory)
		id    string
	}{
		"made and read": {func(s *fileStory) {
			s.told(s.act(command.OpenNode{}, opened), create, made)
			s.told(0, get, read("a"))
		}, ""},
		"another value read": {func(s *fileStory) {
			s.told(s.act(command.OpenNode{}, opened), create, made)
			s.told(0, get, read("b"))
		}, "S4"},
		"an answer without a place": {func(s *fileStory) { s.told(0, create, made) }, "S3"},
		"not executed, and yet it was": {func(s *fileStory) {
			s.told(s.act(command.OpenNode{}, opened), create, func(b *Files, op int) {
				b.History.Failed(op, 0)
				b.trails[len(b.trails)-1].no = true
			})
		}, "S4"},
		"refused by the log, for reasons outside of the model": {func(s *fileStory) {
			s.told(s.act(command.OpenNode{}, api.Result{Code: api.Permission}), create, func(b *Files, op int) {
				b.History.Failed(op, 0)
				b.trails[len(b.trails)-1].no = true
			})
		}, ""},
		"unknown, and read later": {func(s *fileStory) {
			s.told(s.act(command.OpenNode{}, opened), create, func(b *Files, op int) { b.History.Unknown(op, 0) })
			s.told(0, get, read("a"))
		}, ""},
		"swept, and read later": {func(s *fileStory) {
			s.told(s.act(command.OpenNode{}, opened), create, made)
			path, err := api.ParsePath("/f")
			require.NoError(s.t, err)
			s.b.OnCommand(&command.Applied{Command: command.Sweep{Node: api.Ref{Path: path, Instance: 9}}, Verdict: command.Executed,
				Result: api.Result{Code: api.OK}}, linearizability.Position{Slot: 50})
			s.told(0, get, read("a"))
		}, "S4"},
	} {
		s := newFileStory(t)
		c.story(s)
		s.b.Judge(&Verdict{})
		if c.id == "" {
			require.Nil(t, s.w.Failure(), name)
		} else {
			require.NotNil(t, s.w.Failure(), name)
			require.Equal(t, c.id, s.w.Failure().ID, name)
		}
	}
}

// A report of S4 includes the calls before about the same node, although others came after them.
func TestS4NamesTheCallsBeforeOnTheSameNode(t *testing.T) {
	s := newFileStory(t)
	create := func(path string, instance api.Instance) {
		in := linearizability.FileInput{Op: linearizability.FileOpen, Path: path, Create: linearizability.FileCreateMust, Kind: linearizability.FilePlain, Contents: "a"}
		stat := fileMade(instance, "a")
		seq := s.act(command.OpenNode{}, api.Result{Code: api.OK, Detail: api.Opened{Created: true, Stat: stat}})
		s.told(seq, in, func(b *Files, op int) {
			b.History.OK(op, 0, linearizability.FileOutput{Created: true, Stat: model.FileStat(stat)})
		})
	}
	create("/f", 9)
	create("/g", 10)
	create("/fg", 11)
	s.told(0, linearizability.FileInput{Op: linearizability.FileGet, Path: "/f", Instance: 9}, func(b *Files, op int) {
		b.History.OK(op, 0, linearizability.FileOutput{Contents: "b", Stat: model.FileStat(fileMade(9, "b"))})
	})
	s.b.Judge(&Verdict{})
	require.Equal(t, "S4", s.w.Failure().ID)
	require.Regexp(t, `\nbefore it: client 5: open /f [^\n]*, in slot 11$`, s.w.Failure().Text)
	require.NotContains(t, s.w.Failure().Text, "/g")
}
