package linearizability

import (
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"

	"github.com/cespare/xxhash/v2"
)

// toyTree is an independent implementation of the file model in which every number is a place in
// a sequence: the instances at a path, the contents of an instance, and so on. An observation of
// a number is recorded at its place, and the whole sequence must allow all records. If an unknown
// number decides, there are two next states.
type toyTree struct {
	nodes map[string]toyNode
	seqs  map[string][]toyNumber
}

type toyNode struct {
	there    bool
	kind     FileKind
	fleeting bool
	contents string
	names    FileNames
	life     int
}

// toyNumber is what was recorded about a number: its value, or values that it does not have.
type toyNumber struct {
	is  uint64
	not string
}

func newToyTree() toyTree {
	t := toyTree{nodes: map[string]toyNode{}, seqs: map[string][]toyNumber{}}
	t.nodes["/"] = toyNode{there: true, kind: FileDirectory}
	for _, of := range []string{"lives", "acl", "lock"} {
		t.seqs[seq(of, "/", 0)] = []toyNumber{{}}
	}
	return t
}

func seq(of, path string, life int) string {
	if of == "lives" {
		life = 0
	}
	return fmt.Sprint(of, path, " ", life)
}

func (t toyTree) clone() toyTree {
	c := toyTree{nodes: maps.Clone(t.nodes), seqs: map[string][]toyNumber{}}
	for k, v := range t.seqs { // order-free
		c.seqs[k] = slices.Clone(v)
	}
	return c
}

func (t toyTree) key() string { return fmt.Sprint(t.nodes, t.seqs) }

// fits reports whether increasing numbers can satisfy the records.
func fits(s []toyNumber, first uint64) bool {
	last := first - 1
	for _, n := range s {
		v := last + 1
		for n.is == 0 && strings.Contains(n.not, fmt.Sprintf(",%d,", v)) {
			v++
		}
		if n.is != 0 {
			v = n.is
		}
		if v <= last {
			return false
		}
		last = v
	}
	return true
}

// note records that place i of a sequence is v, or is not.
func (t toyTree) note(of string, i int, v uint64, is bool) (toyTree, bool) {
	n := t.seqs[of][i]
	if n.is != 0 {
		return t, (n.is == v) == is
	}
	t = t.clone()
	if is && strings.Contains(n.not, fmt.Sprintf(",%d,", v)) {
		return t, false
	}
	if is {
		t.seqs[of][i].is = v
	} else {
		t.seqs[of][i].not += fmt.Sprintf(",%d,", v)
	}
	return t, fits(t.seqs[of], 1)
}

// toyWay is one possible next state, with its answer.
type toyWay struct {
	toyTree
	code    FileCode
	created bool
}

// ways returns all possible next states after in.
func (t toyTree) ways(in FileInput) (all []toyWay) {
	if in.Op == FileOpen {
		if in.Dir == "" || in.Dir == "/" || in.Instance == 0 {
			return []toyWay{t.opened(in)}
		}
		t.branch(in.Dir, in.Instance, func(t toyTree, there bool) {
			if there {
				all = append(all, t.opened(in))
			} else {
				all = append(all, toyWay{t, FileGone, false})
			}
		})
		return all
	}
	t.branch(in.Path, in.Instance, func(t toyTree, there bool) {
		switch {
		case there:
			all = append(all, t.acted(in)...)
		case in.Instance == 0:
			all = append(all, toyWay{t, FileNotFound, false})
		default:
			all = append(all, toyWay{t, FileGone, false})
		}
	})
	return all
}

// branch continues with both cases: the instance at path is this one, and it is not.
func (t toyTree) branch(path string, instance uint64, on func(t toyTree, there bool)) {
	n := t.nodes[path]
	if !n.there || instance == 0 {
		on(t, n.there)
		return
	}
	for _, is := range []bool{true, false} {
		if next, ok := t.note(seq("lives", path, 0), n.life, instance, is); ok {
			on(next, is)
		}
	}
}

func (t toyTree) opened(in FileInput) toyWay {
	n, was := t.nodes[in.Path]
	switch {
	case n.there && in.Create == FileCreateMust:
		return toyWay{t, FileExists, false}
	case n.there:
		return toyWay{t, FileOK, false}
	}
	dir := t.nodes[dirOf(in.Path)]
	switch {
	case in.Create == FileCreateNever || !dir.there:
		return toyWay{t, FileNotFound, false}
	case dir.kind == FilePlain:
		return toyWay{t, FileNotDirectory, false}
	}
	t = t.clone()
	next := toyNode{there: true, kind: in.Kind, fleeting: in.Ephemeral, contents: in.Contents, names: in.Names}
	if was {
		next.life = n.life + 1
	}
	for i := range next.names {
		if next.names[i] == "" {
			next.names[i] = dir.names[i]
		}
	}
	t.nodes[in.Path] = next
	for _, of := range []string{"lives", "content", "acl", "lock"} {
		s := seq(of, in.Path, next.life)
		t.seqs[s] = append(t.seqs[s], toyNumber{})
	}
	return toyWay{t, FileOK, true}
}

func (t toyTree) acted(in FileInput) []toyWay {
	n := t.nodes[in.Path]
	switch {
	case n.kind == FileDirectory && (in.Op == FileGet || in.Op == FileSet):
		return []toyWay{{t, FileIsDirectory, false}}
	case n.kind == FilePlain && in.Op == FileReadDir:
		return []toyWay{{t, FileNotDirectory, false}}
	}
	switch in.Op {
	case FileSet:
		return t.written(in, "content")
	case FileSetNames:
		return t.written(in, "acl")
	case FileTakeLock:
		return t.written(in, "lock")
	case FileDelete:
		if len(t.children(in.Path)) > 0 {
			return []toyWay{{t, FileNotEmpty, false}}
		}
		t = t.clone()
		t.nodes[in.Path] = toyNode{life: n.life}
	}
	return []toyWay{{t, FileOK, false}}
}

func (t toyTree) written(in FileInput, of string) (all []toyWay) {
	n := t.nodes[in.Path]
	s := seq(of, in.Path, n.life)
	last := len(t.seqs[s]) - 1
	if in.When != 0 && in.Op != FileTakeLock {
		if next, ok := t.note(s, last, in.When, false); ok {
			all = append(all, toyWay{next, FileConflict, false})
		}
		var ok bool
		if t, ok = t.note(s, last, in.When, true); !ok {
			return all
		}
	}
	t = t.clone()
	t.seqs[s] = append(t.seqs[s], toyNumber{})
	switch of {
	case "content":
		n.contents = in.Contents
	case "acl":
		for i, name := range in.Names {
			if name != "" {
				n.names[i] = name
			}
		}
	}
	t.nodes[in.Path] = n
	return append(all, toyWay{t, FileOK, false})
}

func (t toyTree) children(dir string) (names []string) {
	for p, n := range t.nodes { // order-free: sorted below
		if n.there && p != "/" && dirOf(p) == dir {
			names = append(names, p[strings.LastIndex(p, "/")+1:])
		}
	}
	slices.Sort(names)
	return names
}

func (t toyTree) follow(in FileInput, out *FileOutput) (all []bruteState[FileInput, FileOutput]) {
	for _, w := range t.ways(in) {
		if next, ok := w.matches(in, out); ok {
			all = append(all, next)
		}
	}
	return all
}

func (w toyWay) matches(in FileInput, out *FileOutput) (t toyTree, ok bool) {
	t = w.toyTree
	switch {
	case out == nil:
		return t, true
	case out.Code != w.code || w.code == FileOK && in.Op == FileOpen && out.Created != w.created:
		return t, false
	case w.code != FileOK && w.code != FileConflict || in.Op == FileDelete:
		return t, true
	case in.Op == FileReadDir:
		return w.matchesList(in, out)
	case in.Op == FileGet && out.Contents != t.nodes[in.Path].contents:
		return t, false
	}
	return t.matchesStat(in.Path, out.Stat)
}

func (w toyWay) matchesList(in FileInput, out *FileOutput) (t toyTree, ok bool) {
	t = w.toyTree
	for _, name := range t.children(in.Path) {
		if name <= in.After {
			continue
		}
		if len(out.Children) == 0 {
			return t, out.More
		}
		if out.Children[0].Name != name {
			return t, false
		}
		if t, ok = t.matchesStat(strings.TrimSuffix(in.Path, "/")+"/"+name, out.Children[0].Stat); !ok {
			return t, false
		}
		rest := *out
		rest.Children = out.Children[1:]
		out = &rest
	}
	return t, len(out.Children) == 0 && !out.More
}

func (t toyTree) matchesStat(path string, s FileStat) (toyTree, bool) {
	n := t.nodes[path]
	if s.Kind != 0 {
		if s.Kind != n.kind || s.Ephemeral != n.fleeting {
			return t, false
		}
		if n.kind == FileDirectory && s.Children >= 0 && int(s.Children) != len(t.children(path)) {
			return t, false
		}
		if n.kind == FilePlain && (s.Length >= 0 && int(s.Length) != len(n.contents) || s.Checksum != 0 && s.Checksum != xxhash.Sum64String(n.contents)) {
			return t, false
		}
	}
	t = t.clone()
	for i, name := range s.Names {
		if name != "" && n.names[i] != "" && n.names[i] != name {
			return t, false
		}
		if name != "" {
			n.names[i] = name
		}
	}
	t.nodes[path] = n
	if n.kind == FileDirectory && s.Content != 0 {
		return t, false
	}
	ok := true
	for _, told := range []struct {
		of string
		v  uint64
	}{{"lives", s.Instance}, {"content", s.Content}, {"acl", s.ACL}, {"lock", s.Lock}} {
		if told.v == 0 {
			continue
		}
		of := seq(told.of, path, n.life)
		at := len(t.seqs[of]) - 1
		if told.of == "lives" {
			at = n.life
		}
		if t, ok = t.note(of, at, told.v, true); !ok {
			return t, false
		}
	}
	return t, true
}

// dirOf returns the path of the directory of a node other than the root.
func dirOf(node string) string { return path.Dir(node) }
