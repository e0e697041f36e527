package linearizability

import (
	"encoding/binary"
	"sort"
	"strings"

	"github.com/cespare/xxhash/v2"
)

// FileState is an immutable state of the file model: all nodes there are and
// were. The zero FileState has not even a root.
type FileState struct{ rows *fileRows } // one pointer, so it costs nothing to box

// fileRows are nodes in order of path, with the sum of their hashes. A write
// copies the order and makes the node anew; the others are shared.
type fileRows struct {
	sum   uint64
	nodes []*fileNode
}

// fileNode is what stands at a path or, if nothing does, what is remembered of
// the last node there: its instance.
type fileNode struct {
	path      string
	there     bool
	kind      FileKind
	ephemeral bool
	children  int64
	contents  string
	checksum  uint64
	marks     fileMarks
	sum       uint64 // hash of all above
}

// fileMarks is what a state may learn of a node without it being changed. A name
// that is empty is not known.
type fileMarks struct {
	instance, content, acl, lock number
	names                        FileNames
}

func newFileState() FileState {
	return FileState{}.with(fileNode{path: "/", there: true, kind: FileDirectory, marks: fileMarks{content: none}})
}

func (s FileState) nodes() []*fileNode {
	if s.rows == nil {
		return nil
	}
	return s.rows.nodes
}

// search returns the place of the first node whose path is not below p.
func (s FileState) search(p string) int {
	nodes := s.nodes()
	return sort.Search(len(nodes), func(i int) bool { return nodes[i].path >= p })
}

// get returns what stands or stood at p, or nil.
func (s FileState) get(p string) *fileNode {
	nodes, i := s.nodes(), s.search(p)
	if i < len(nodes) && nodes[i].path == p {
		return nodes[i]
	}
	return nil
}

// with returns s with n in the place of what was at its path.
func (s FileState) with(n fileNode) FileState {
	n.sum = n.hash()
	nodes, i, sum := s.nodes(), s.search(n.path), s.hash()
	above := i // first node behind the new one
	if i < len(nodes) && nodes[i].path == n.path {
		sum -= nodes[i].sum
		above++
	}
	next := make([]*fileNode, i+1+len(nodes)-above)
	copy(next, nodes[:i])
	next[i] = &n
	copy(next[i+1:], nodes[above:])
	return FileState{&fileRows{sum: sum + n.sum, nodes: next}}
}

// children are the nodes that stand in dir with a name above after, by name.
func (s FileState) children(dir, after string) (all []*fileNode) {
	prefix := inside(dir)
	nodes := s.nodes()
	for _, n := range nodes[s.search(prefix):] {
		if !strings.HasPrefix(n.path, prefix) {
			break
		}
		name := n.path[len(prefix):]
		if n.there && name != "" && name > after && !strings.Contains(name, "/") {
			all = append(all, n)
		}
	}
	return all
}

func (s FileState) equal(t FileState) bool {
	a, b := s.nodes(), t.nodes()
	if len(a) != len(b) || s.hash() != t.hash() {
		return false
	}
	for i := range a {
		if a[i] != b[i] && *a[i] != *b[i] {
			return false
		}
	}
	return true
}

func (s FileState) hash() uint64 {
	if s.rows == nil {
		return 0
	}
	return s.rows.sum
}

// size counts one node made anew, and the order, as on a 64-bit machine.
func (s FileState) size() int { return 400 + 8*len(s.nodes()) }

// String lists what is there.
func (s FileState) String() string {
	var parts []string
	for _, n := range s.nodes() {
		if n.there {
			parts = append(parts, n.path+" "+describeFileStat(n.stat()))
		}
	}
	return "{" + strings.Join(parts, ", ") + "}"
}

// stat is what can be told of n.
func (n *fileNode) stat() FileStat {
	s := FileStat{
		Kind: n.kind, Ephemeral: n.ephemeral, Names: n.marks.names,
		Instance: n.marks.instance.told(), Content: n.marks.content.told(), ACL: n.marks.acl.told(), Lock: n.marks.lock.told(),
	}
	if n.kind == FilePlain {
		s.Length, s.Checksum = int64(len(n.contents)), n.checksum
	} else {
		s.Children = n.children
	}
	return s
}

// see reports whether s can be told of n, and what is then known of it.
func (n *fileNode) see(s *FileStat) (fileMarks, bool) {
	m, plain := n.marks, n.kind == FilePlain
	switch {
	case s.Kind != 0 && (s.Kind != n.kind || s.Ephemeral != n.ephemeral),
		s.Kind != 0 && plain && s.Length >= 0 && s.Length != int64(len(n.contents)),
		s.Kind != 0 && plain && s.Checksum != 0 && s.Checksum != n.checksum,
		s.Kind != 0 && !plain && s.Children >= 0 && s.Children != n.children:
		return m, false
	}
	for i, told := range s.Names {
		if m.names[i] == "" {
			m.names[i] = told
		}
		if told != "" && told != m.names[i] {
			return m, false
		}
	}
	var ok [4]bool
	m.instance, ok[0] = m.instance.see(s.Instance)
	m.content, ok[1] = m.content.see(s.Content)
	m.acl, ok[2] = m.acl.see(s.ACL)
	m.lock, ok[3] = m.lock.see(s.Lock)
	return m, ok == [4]bool{true, true, true, true}
}

// setContents replaces the contents, not their generation.
func (n *fileNode) setContents(contents string) {
	n.contents, n.checksum = contents, 0
	if n.kind == FilePlain {
		n.checksum = xxhash.Sum64String(contents)
	}
}

// hash stands on the checksum in the place of the contents. It is mixed so that
// sums of it mean something.
func (n *fileNode) hash() uint64 {
	var room [256]byte
	b := append(append(room[:0], n.path...), 0)
	b = append(b, byte(n.kind)<<2|flag(n.there)<<1|flag(n.ephemeral))
	b = binary.BigEndian.AppendUint64(b, uint64(n.children))
	b = binary.BigEndian.AppendUint64(b, n.checksum)
	for _, x := range [...]number{n.marks.instance, n.marks.content, n.marks.acl, n.marks.lock} {
		b = x.appendTo(b)
	}
	for _, name := range n.marks.names {
		b = append(append(b, 0), name...)
	}
	h := xxhash.Sum64(b)
	h ^= h >> 32
	h *= 0xd6e8feb86659fd93
	return h ^ h>>32
}

func flag(f bool) byte {
	if f {
		return 1
	}
	return 0
}
