package caches_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/chubbycell/chubby/client"
	"github.com/chubbycell/chubby/linearizability"
	"github.com/chubbycell/chubby/replica/api"
	"github.com/chubbycell/chubby/replica/state/command"
	"github.com/chubbycell/chubby/replica/state/tree"
	"github.com/chubbycell/chubby/sim"
	"github.com/chubbycell/chubby/sim/check/caches"
	"github.com/chubbycell/chubby/sim/model"
)

// rig is a cell reduced to its log: /d is a directory, and /d/f a file that says "a".
type rig struct {
	t     *testing.T
	world *sim.World
	c     *caches.Checker
	n     api.Number
	dir   api.Stat
	file  api.Stat
}

const alice, bob = api.Principal("alice"), api.Principal("bob")

func newRig(t *testing.T) *rig {
	r := &rig{t: t, world: sim.New(sim.Config{})}
	t.Cleanup(r.world.Close)
	r.c = caches.New(r.world)
	all := api.ACLNames{Read: "all", Write: "all", Change: "all"}
	r.applies(command.Found{Founding: tree.Founding{Root: all, ACL: all, Files: []tree.FoundingFile{{Name: "all", Contents: "*", Names: all}, {Name: "some", Contents: "alice", Names: all}}}}, nil)
	r.dir = r.makes("/d", api.Stat{Kind: api.Directory, Names: all}, "")
	r.file = r.makes("/d/f", api.Stat{Kind: api.File, Names: all}, "a")
	return r
}

// applies makes some replica, and the serving master, apply the next command.
func (r *rig) applies(c command.Command, detail api.Detail) api.Number {
	r.somewhere(c, detail)
	r.c.OnMaster(r.n)
	return r.n
}

// somewhere makes some replica apply the next command.
func (r *rig) somewhere(c command.Command, detail api.Detail) {
	r.n++
	r.c.OnCommand(&command.Applied{Number: r.n, Command: c, Verdict: command.Executed, Result: api.Result{Code: api.OK, Detail: detail}})
}

func (r *rig) does(op command.NodeOp, detail api.Detail) {
	r.applies(command.NodeCommand{Op: op}, detail)
}

func (r *rig) ref(path string, i api.Instance) api.Ref {
	p, err := api.ParsePath(path)
	require.NoError(r.t, err)
	return api.Ref{Path: p, Instance: i}
}

func (r *rig) makes(path string, s api.Stat, text string) api.Stat {
	n := r.n + 1
	s.Instance, s.Lock, s.ACL = api.Instance(n), api.LockGen(n), api.ACLGen(n)
	if s.Kind == api.File {
		s.Content, s.Length, s.Checksum = api.ContentGen(n), uint64(len(text)), api.ChecksumOf(text)
	}
	ref := r.ref(path, s.Instance)
	r.does(command.OpenNode{Path: ref.Path, Contents: text}, api.Opened{Node: ref, Created: true, Stat: s})
	return s
}

func (r *rig) written(text string) (command.NodeOp, api.NodeStat) {
	s := r.file
	s.Content, s.Length, s.Checksum = api.ContentGen(r.n+1), uint64(len(text)), api.ChecksumOf(text)
	return command.SetContents{Node: r.ref("/d/f", s.Instance), Contents: text}, api.NodeStat{Stat: s}
}

// writes writes the file.
func (r *rig) writes(text string) {
	op, s := r.written(text)
	r.does(op, s)
	r.file = s.Stat
}

func (r *rig) removes(path string, i api.Instance) {
	r.does(command.DeleteNode{Node: r.ref(path, i)}, nil)
}

// writesACL writes one of the ACL files that the cell was founded with.
func (r *rig) writesACL(name, text string) {
	r.does(command.SetContents{Node: r.ref("/acl/"+name, 1), Contents: text}, api.NodeStat{Stat: api.Stat{
		Kind: api.File, Instance: 1, Content: api.ContentGen(r.n + 1), Names: api.ACLNames{Read: "all", Write: "all", Change: "all"},
	}})
}

func contents(s api.Stat, text string) caches.Read {
	return caches.Read{
		Who: bob, Hit: true, In: linearizability.FileInput{Op: linearizability.FileGet, Path: "/d/f", Instance: uint64(s.Instance)},
		Out: linearizability.FileOutput{Contents: text, Stat: model.FileStat(s)},
	}
}

func names(dir api.Stat, all ...string) caches.Read {
	x := caches.Read{Who: bob, Hit: true, In: linearizability.FileInput{Op: linearizability.FileReadDir, Path: "/d", Instance: uint64(dir.Instance)}}
	for _, name := range all {
		x.Out.Children = append(x.Out.Children, linearizability.FileChild{Name: name})
	}
	return x
}

func metadata(path string, s api.Stat) caches.Read {
	return caches.Read{
		Who: bob, Hit: true, In: linearizability.FileInput{Op: linearizability.FileGetStat, Path: path, Instance: uint64(s.Instance)},
		Out: linearizability.FileOutput{Stat: model.FileStat(s)},
	}
}

func handle(who api.Principal, want api.Rights, s api.Stat) caches.Read {
	return caches.Read{
		Who: who, Rights: want, Hit: true, In: linearizability.FileInput{Op: linearizability.FileOpen, Path: "/d/f"},
		Out: linearizability.FileOutput{Stat: model.FileStat(s)},
	}
}

func absent(path string) caches.Read {
	return caches.Read{
		Who: bob, Hit: true, In: linearizability.FileInput{Op: linearizability.FileOpen, Path: path},
		Out: linearizability.FileOutput{Code: linearizability.FileNotFound},
	}
}

// unlocked returns metadata as caches have them.
func unlocked(s api.Stat) api.Stat {
	s.Lock = 0
	return s
}

// Good and bad histories. A bad one breaks S12, or S4 if it asks the master.
func TestReads(t *testing.T) {
	for name, c := range map[string]struct {
		run func(r *rig)
		bad string
	}{
		"what stands there": {func(r *rig) { r.c.Begins().Ends(contents(unlocked(r.file), "a")) }, ""},
		"old contents": {func(r *rig) {
			old := r.file
			r.writes("b")
			r.c.Begins().Ends(contents(unlocked(old), "a"))
		}, "S12"},
		"old contents of the master": {func(r *rig) {
			x := contents(r.file, "a")
			x.Hit = false
			r.writes("b")
			r.c.Begins().Ends(x)
		}, "S4"},
		"old contents with new metadata": {func(r *rig) { r.writes("b"); r.c.Begins().Ends(contents(r.file, "a")) }, "S12"},
		"new contents with old metadata": {func(r *rig) { old := r.file; r.writes("b"); r.c.Begins().Ends(contents(old, "b")) }, "S12"},
		"contents that were never there": {func(r *rig) { r.c.Begins().Ends(contents(r.file, "z")) }, "S12"},
		"written while it was read, before": {func(r *rig) {
			read, old := r.c.Begins(), r.file
			r.writes("b")
			read.Ends(contents(old, "a"))
		}, ""},
		"written while it was read, after": {func(r *rig) {
			read := r.c.Begins()
			r.writes("b")
			read.Ends(contents(r.file, "b"))
		}, ""},
		"written twice while it was read, between": {func(r *rig) {
			read := r.c.Begins()
			r.writes("b")
			between := r.file
			r.writes("c")
			read.Ends(contents(between, "b"))
		}, ""},
		"applied, and by no master that serves: old": {func(r *rig) {
			op, s := r.written("b")
			r.somewhere(command.NodeCommand{Op: op}, s)
			r.c.Begins().Ends(contents(r.file, "a"))
		}, ""},
		"applied, and by no master that serves: new": {func(r *rig) {
			op, s := r.written("b")
			r.somewhere(command.NodeCommand{Op: op}, s)
			r.c.Begins().Ends(contents(s.Stat, "b"))
		}, ""},
		"refused, and yet found": {func(r *rig) {
			op, s := r.written("b")
			r.c.OnCommand(&command.Applied{Number: r.n + 1, Command: command.NodeCommand{Op: op}, Verdict: command.Executed, Result: api.Result{Code: api.Conflict, Detail: s}})
			r.c.Begins().Ends(contents(s.Stat, "b"))
		}, "S12"},
		"names":     {func(r *rig) { r.c.Begins().Ends(names(r.dir, "f")) }, ""},
		"old names": {func(r *rig) { r.makes("/d/g", api.Stat{Kind: api.File}, ""); r.c.Begins().Ends(names(r.dir, "f")) }, "S12"},
		"names of one that is gone": {func(r *rig) {
			r.removes("/d/f", r.file.Instance)
			r.c.Begins().Ends(names(r.dir, "f"))
		}, "S12"},
		"no names any more": {func(r *rig) { r.removes("/d/f", r.file.Instance); r.c.Begins().Ends(names(r.dir)) }, ""},
		"names after one was swept": {func(r *rig) {
			g := r.makes("/d/g", api.Stat{Kind: api.File, Ephemeral: true}, "")
			r.applies(command.Sweep{Node: r.ref("/d/g", g.Instance)}, nil)
			r.c.Begins().Ends(names(r.dir, "f", "g"))
		}, "S12"},
		"an old number of children": {func(r *rig) {
			s := r.dir
			s.Children = 1
			r.makes("/d/g", api.Stat{Kind: api.File}, "")
			r.c.Begins().Ends(metadata("/d", s))
		}, "S12"},
		"the number of children":   {func(r *rig) { s := r.dir; s.Children = 1; r.c.Begins().Ends(metadata("/d", s)) }, ""},
		"another lock generation":  {func(r *rig) { s := r.file; s.Lock = 99; r.c.Begins().Ends(metadata("/d/f", s)) }, ""},
		"old names of ACL files":   {func(r *rig) { s := r.file; s.Names.Read = "some"; r.c.Begins().Ends(metadata("/d/f", s)) }, "S12"},
		"nothing there":            {func(r *rig) { r.c.Begins().Ends(absent("/d/g")) }, ""},
		"made, and still nothing":  {func(r *rig) { r.makes("/d/g", api.Stat{Kind: api.File}, ""); r.c.Begins().Ends(absent("/d/g")) }, "S12"},
		"made while it was looked": {func(r *rig) { x := r.c.Begins(); r.makes("/d/g", api.Stat{Kind: api.File}, ""); x.Ends(absent("/d/g")) }, ""},
		"made and removed": {func(r *rig) {
			g := r.makes("/d/g", api.Stat{Kind: api.File}, "")
			r.removes("/d/g", g.Instance)
			r.c.Begins().Ends(absent("/d/g"))
		}, ""},
		"a node that was made anew, by its old handle": {func(r *rig) {
			old := r.file
			r.removes("/d/f", old.Instance)
			r.file = r.makes("/d/f", old, "a")
			r.c.Begins().Ends(contents(old, "a"))
		}, "S12"},
		"a node that was made anew": {func(r *rig) {
			r.removes("/d/f", r.file.Instance)
			r.file = r.makes("/d/f", r.file, "a")
			r.c.Begins().Ends(contents(r.file, "a"))
		}, ""},
		"a handle": {func(r *rig) { r.c.Begins().Ends(handle(bob, api.RightRead, r.file)) }, ""},
		"a handle on what is gone": {func(r *rig) {
			r.removes("/d/f", r.file.Instance)
			r.c.Begins().Ends(handle(bob, api.RightRead, r.file))
		}, "S12"},
		"a handle with old metadata": {func(r *rig) { old := r.file; r.writes("b"); r.c.Begins().Ends(handle(bob, api.RightRead, old)) }, "S12"},
		"a handle, and the ACL file lists the client no more": {func(r *rig) {
			r.writesACL("all", "alice")
			r.c.Begins().Ends(handle(bob, api.RightRead, r.file))
		}, "S12"},
		"a handle, and the ACL file lists it still": {func(r *rig) {
			r.writesACL("all", "alice\nbob")
			r.c.Begins().Ends(handle(bob, api.RightRead|api.RightWrite, r.file))
		}, ""},
		"a handle, while the ACL file is written": {func(r *rig) {
			read := r.c.Begins()
			r.writesACL("all", "alice")
			read.Ends(handle(bob, api.RightRead, r.file))
		}, ""},
		"a handle, and the node has other ACL files": {func(r *rig) {
			s := r.file
			s.Names, s.ACL = api.ACLNames{Read: "some", Write: "some", Change: "some"}, api.ACLGen(r.n+1)
			r.does(command.SetACL{Node: r.ref("/d/f", s.Instance), Names: s.Names}, api.NodeStat{Stat: s})
			r.c.Begins().Ends(handle(alice, api.RightRead, s))
			require.Nil(r.t, r.world.Failure())
			r.c.Begins().Ends(handle(bob, api.RightRead, s))
		}, "S12"},
		"a handle, and the ACL file is gone": {func(r *rig) {
			r.removes("/acl/all", 1)
			r.c.Begins().Ends(handle(bob, api.RightRead, r.file))
		}, "S12"},
		"a refusal says nothing": {func(r *rig) {
			x := contents(r.file, "z")
			x.Out.Code = linearizability.FileIsDirectory
			r.c.Begins().Ends(x)
		}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			r := newRig(t)
			c.run(r)
			if c.bad == "" {
				require.Nil(t, r.world.Failure())
				return
			}
			require.NotNil(t, r.world.Failure())
			require.Equal(t, c.bad, r.world.Failure().ID)
		})
	}
}

// A report names the call that a master answered, so that a story can tell what became of it.
func TestAReportNamesTheCall(t *testing.T) {
	r := newRig(t)
	x := handle(bob, api.RightRead, api.Stat{})
	x.Hit, x.Call = false, client.CallID{Session: 7, Seq: 5}
	r.c.Begins().Ends(x)
	require.Equal(t, "S4", r.world.Failure().ID)
	require.Contains(t, r.world.Failure().Text, "bob asks, by call 5 of session 7, for a handle on /d/f instance 0, and gets neither metadata nor an error, which")
}
