package linearizability

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/cespare/xxhash/v2"
)

// fileToy is a toy of a tree: it assigns the numbers, and draws calls.
type fileToy struct {
	*toyTree
	paths []string
	last  uint64
	pick  pick
	mute  bool // reports no numbers
	vague bool // reports only some numbers
}

func newFileToy(p pick, paths ...string) *fileToy {
	t := newToyTree()
	f := &fileToy{toyTree: &t, paths: paths, pick: p, last: 1}
	f.number()
	n := t.nodes["/"]
	n.names = FileNames{"r", "w", "c"}
	t.nodes["/"] = n
	return f
}

func (f *fileToy) ready(FileInput) bool { return true }

func (f *fileToy) wouldChange(in FileInput) bool {
	return f.ways(in)[0].key() != f.key()
}

func (f *fileToy) do(in FileInput) FileOutput {
	w := f.ways(in)[0]
	*f.toyTree = w.toyTree
	f.number()
	out := FileOutput{Code: w.code, Created: w.created}
	switch {
	case w.code != FileOK && w.code != FileConflict || in.Op == FileDelete:
	case in.Op == FileReadDir:
		for _, name := range f.children(in.Path) {
			if name > in.After {
				out.Children = append(out.Children, FileChild{Name: name, Stat: f.stat(strings.TrimSuffix(in.Path, "/") + "/" + name)})
			}
		}
		if len(out.Children) > 1 && f.pick(3) == 0 {
			out.Children, out.More = out.Children[:1], true
		}
	default:
		out.Stat = f.stat(in.Path)
		if in.Op == FileGet {
			out.Contents = f.nodes[in.Path].contents
		}
	}
	return out
}

// number assigns a number to each new place.
func (f *fileToy) number() {
	for _, of := range slices.Sorted(maps.Keys(f.seqs)) {
		for i, n := range f.seqs[of] {
			if n.is == 0 {
				f.last += 1 + uint64(f.pick(2))
				f.seqs[of][i].is = f.last
			}
		}
	}
}

func (f *fileToy) now(of, path string) uint64 {
	s := f.seqs[seq(of, path, f.nodes[path].life)]
	if len(s) == 0 {
		return 0
	}
	return s[len(s)-1].is
}

// stat returns a node's metadata, or only a part of it.
func (f *fileToy) stat(path string) FileStat {
	n := f.nodes[path]
	s := FileStat{Kind: n.kind, Ephemeral: n.fleeting, Instance: f.now("lives", path), ACL: f.now("acl", path), Lock: f.now("lock", path), Names: n.names}
	if n.kind == FilePlain {
		s.Content, s.Length, s.Checksum = f.now("content", path), int64(len(n.contents)), xxhash.Sum64String(n.contents)
	} else {
		s.Children = int64(len(f.children(path)))
	}
	switch n := f.pick(8); {
	case n == 0:
		s.Length, s.Children, s.Checksum = -1, -1, 0
	case n == 1 && f.vague:
		s = FileStat{}
	case n == 2 && f.vague:
		s = FileStat{Instance: s.Instance, Content: s.Content}
	}
	if f.mute {
		s.Content, s.ACL, s.Lock, s.Instance = 0, 0, 0, 0
	}
	return s
}

func (f *fileToy) draw(pick pick) FileInput {
	path := f.paths[pick(len(f.paths))]
	in := FileInput{Path: path, Instance: f.some("lives", path, pick), Contents: fmt.Sprint(pick(3))}
	if path == "/" {
		in.Op = []FileOp{FileGetStat, FileReadDir, FileOpen}[pick(3)]
		if f.vague && pick(4) == 0 {
			in.Op = FileTakeLock
		}
		return f.tidy(in)
	}
	if in.Op = FileOp(1 + pick(8)); !f.nodes[path].there && pick(3) > 0 {
		in.Op = FileOpen
	}
	switch in.Op {
	case FileOpen:
		in.Create, in.Kind, in.Ephemeral = FileCreation(pick(3)), FileKind(1+pick(2)), pick(4) == 0
		if in.Dir = dirOf(path); pick(2) == 0 {
			in.Dir = ""
		}
		in.Instance = f.some("lives", in.Dir, pick)
		if pick(2) == 0 {
			in.Names[pick(3)] = "x"
		}
	case FileSet:
		in.When = f.some("content", path, pick)
	case FileSetNames:
		in.Names[pick(3)], in.When = "y", f.some("acl", path, pick)
	case FileReadDir:
		if pick(3) == 0 {
			in.After = "m"
		}
	}
	return f.tidy(in)
}

// tidy clears the fields that do not belong to the operation.
func (f *fileToy) tidy(in FileInput) FileInput {
	if in.Op == FileOpen && in.Create == FileCreateNever {
		in.Kind, in.Ephemeral, in.Names = 0, false, FileNames{}
	}
	if in.Op == FileOpen && in.Dir == "" {
		in.Instance = 0
	}
	if in.Op != FileSet && (in.Op != FileOpen || in.Kind != FilePlain) {
		in.Contents = ""
	}
	return in
}

// some returns 0, the present number, an earlier number or a wrong number.
func (f *fileToy) some(of, path string, pick pick) uint64 {
	s := f.seqs[seq(of, path, f.nodes[path].life)]
	switch n := pick(8); {
	case len(s) == 0 || n < 2 || f.mute:
		return 0
	case n == 2:
		return s[pick(len(s))].is
	case n == 3:
		return s[len(s)-1].is + uint64(pick(3))
	default:
		return s[len(s)-1].is
	}
}

func simulateFiles(p pick, clients, operations int, tells bool, paths ...string) *History[FileInput, FileOutput] {
	toy := newFileToy(p, paths...)
	toy.mute, toy.vague = tells && p(6) == 0, !tells
	s := simulation[FileInput, FileOutput]{pick: p, clients: clients, operations: operations, toy: toy, tells: tells}
	return s.run()
}

// mutateFile changes a number, a code or contents of a call or its result.
func mutateFile(p pick, op *Operation[FileInput, FileOutput]) {
	for range 4 {
		mutateFileOnce(p, &op.Input, &op.Output)
	}
}

func mutateFileOnce(p pick, in *FileInput, out *FileOutput) {
	some := func(v *uint64) {
		if *v != 0 {
			*v += uint64(p(4))
		}
	}
	switch p(12) {
	case 0:
		some(&in.Instance)
	case 1:
		some(&in.When)
	case 2:
		some(&out.Stat.Instance)
	case 3, 4:
		some(&out.Stat.Content)
	case 5:
		some(&out.Stat.Lock)
	case 6:
		out.Stat.Length, out.Stat.Checksum = int64(p(3)), 0
	case 7:
		out.Code = FileCode(p(8))
	case 8:
		out.Created = !out.Created
	case 9:
		out.Contents = fmt.Sprint(p(3))
	case 10:
		if len(out.Children) > 0 {
			out.Children = out.Children[:len(out.Children)-1]
		}
	case 11:
		out.Stat.Children = int64(p(3))
	}
}
