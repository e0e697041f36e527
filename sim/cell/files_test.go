package cell

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/chubbycell/chubby/client"
	"github.com/chubbycell/chubby/linearizability"
	"github.com/chubbycell/chubby/replica/api"
	"github.com/chubbycell/chubby/replica/state/command"
)

// fileStory is a cell reduced to its book of nodes.
type fileStory struct {
	*facts
	c   *Cell
	seq api.Seq
}

func newFileStory(t *testing.T) *fileStory {
	s := &fileStory{facts: newFacts(t)}
	s.c = &Cell{world: s.w, watch: s.h}
	s.c.nodes = newFileBook(func() int64 { return 0 })
	s.c.nodes.command(&command.Applied{Number: 2, Command: command.Found{}, Verdict: command.Executed, Result: api.Result{Code: api.OK}},
		linearizability.Position{Slot: 2})
	return s
}

// act is an act in the log, as call seq of session 1.
func (s *fileStory) act(d command.NodeOp, r api.Result) api.Seq {
	s.seq++
	s.c.nodes.command(&command.Applied{Command: command.NodeCommand{Session: 1, Seq: s.seq, Op: d}, Verdict: command.Executed, Result: r},
		linearizability.Position{Slot: int64(10 + s.seq)})
	return s.seq
}

// told is a call and its end, as the client knows it; seq 0: it is nowhere in the log.
func (s *fileStory) told(seq api.Seq, in linearizability.FileInput, end func(b *fileBook, op int)) {
	b := s.c.nodes
	op := b.history.Call(5, 0, in)
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
	ok := func(out linearizability.FileOutput) func(*fileBook, int) {
		return func(b *fileBook, op int) { b.history.OK(op, 0, out) }
	}
	made := ok(linearizability.FileOutput{Created: true, Stat: fileStat(fileMade(9, "a"))})
	read := func(text string) func(*fileBook, int) {
		return ok(linearizability.FileOutput{Contents: text, Stat: fileStat(fileMade(9, text))})
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
			s.told(s.act(command.OpenNode{}, opened), create, func(b *fileBook, op int) {
				b.history.Failed(op, 0)
				b.trails[len(b.trails)-1].no = true
			})
		}, "S4"},
		"refused by the log, for reasons outside of the model": {func(s *fileStory) {
			s.told(s.act(command.OpenNode{}, api.Result{Code: api.Permission}), create, func(b *fileBook, op int) {
				b.history.Failed(op, 0)
				b.trails[len(b.trails)-1].no = true
			})
		}, ""},
		"unknown, and read later": {func(s *fileStory) {
			s.told(s.act(command.OpenNode{}, opened), create, func(b *fileBook, op int) { b.history.Unknown(op, 0) })
			s.told(0, get, read("a"))
		}, ""},
		"swept, and read later": {func(s *fileStory) {
			s.told(s.act(command.OpenNode{}, opened), create, made)
			path, err := api.ParsePath("/f")
			require.NoError(s.t, err)
			s.c.nodes.command(&command.Applied{Command: command.Sweep{Node: api.Ref{Path: path, Instance: 9}}, Verdict: command.Executed,
				Result: api.Result{Code: api.OK}}, linearizability.Position{Slot: 50})
			s.told(0, get, read("a"))
		}, "S4"},
	} {
		s := newFileStory(t)
		c.story(s)
		s.c.checkFiles(&Result{})
		if c.id == "" {
			require.Nil(t, s.w.Failure(), name)
		} else {
			require.NotNil(t, s.w.Failure(), name)
			require.Equal(t, c.id, s.w.Failure().ID, name)
		}
	}
}

func TestS4ContentsAreAsLongAsTheyMayBe(t *testing.T) {
	for name, c := range map[string]struct {
		bytes  int
		err    error
		breaks bool
	}{
		"all that there may be":                {256 << 10, nil, false},
		"a byte too many":                      {256<<10 + 1, nil, true},
		"a byte too many is refused":           {256<<10 + 1, client.ErrTooLarge, false},
		"a byte too many has no answer":        {256<<10 + 1, client.ErrOutcomeUnknown, false},
		"all that there may be is refused":     {256 << 10, client.ErrTooLarge, true},
		"what there may be meets another file": {256 << 10, client.ErrConflict, false},
	} {
		s := newFileStory(t)
		s.c.sized(strings.Repeat("x", c.bytes), c.err)
		require.Equal(t, c.breaks, s.w.Failure() != nil, name)
	}
}
