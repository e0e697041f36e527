package model

import (
	"encoding/binary"
	"sort"
	"strings"

	"github.com/cespare/xxhash/v2"
)

// FileState is an immutable state of the file model: all nodes that exist or existed. The zero
// FileState does not even have a root.
type FileState struct{ rows *fileRows } // one pointer, so it costs nothing to box

// fileRows are nodes in order of path, with the sum of their hashes. A write copies the order
// and one node; the other nodes are shared.
type fileRows struct {
	sum   uint64
	nodes []*fileNode
}

// fileNode is the node at a path or, if there is none, the instance of the last node there.
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

// fileMarks is what may become known about a node without a change of it. An empty name is unknown.
type fileMarks struct {
	instance, content, acl, lock number
	names                        FileNames
}

func newFileState() FileState {
	return FileState{}.replace(fileNode{path: "/", there: true, kind: FileDirectory, marks: fileMarks{content: noNumber}})
}

func (s FileState) nodes() []*fileNode {
	if s.rows == nil {
		return nil
	}
	return s.rows.nodes
}

// search returns the index of the first node whose path is not below p.
func (s FileState) search(p string) int {
	nodes := s.nodes()
	return sort.Search(len(nodes), func(i int) bool { return nodes[i].path >= p })
}

// get returns the node that is or was at p, or nil.
func (s FileState) get(p string) *fileNode {
	nodes, i := s.nodes(), s.search(p)
	if i < len(nodes) && nodes[i].path == p {
		return nodes[i]
	}
	return nil
}

// replace returns s with n in place of the node at its path.
func (s FileState) replace(n fileNode) FileState {
	n.sum = n.hash()
	nodes, i, sum := s.nodes(), s.search(n.path), s.hash()
	above := i // index of the first old node after the new one
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

// children returns the nodes in dir with names above after, in order of name.
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

// size estimates one new node and the order, as on a 64-bit machine.
func (s FileState) size() int { return 400 + 8*len(s.nodes()) }

// String lists the existing nodes.
func (s FileState) String() string {
	var parts []string
	for _, n := range s.nodes() {
		if n.there {
			parts = append(parts, n.path+" "+describeFileStat(n.stat()))
		}
	}
	return "{" + strings.Join(parts, ", ") + "}"
}

// stat returns what is known of n.
func (n *fileNode) stat() FileStat {
	s := FileStat{
		Kind: n.kind, Ephemeral: n.ephemeral, Names: n.marks.names,
		Instance: n.marks.instance.reported(), Content: n.marks.content.reported(), ACL: n.marks.acl.reported(), Lock: n.marks.lock.reported(),
	}
	if n.kind == FilePlain {
		s.Length, s.Checksum = int64(len(n.contents)), n.checksum
	} else {
		s.Children = n.children
	}
	return s
}

// observe reports whether s can be metadata of n, and returns what is known of n afterwards.
func (n *fileNode) observe(s *FileStat) (fileMarks, bool) {
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
	m.instance, ok[0] = m.instance.observe(s.Instance)
	m.content, ok[1] = m.content.observe(s.Content)
	m.acl, ok[2] = m.acl.observe(s.ACL)
	m.lock, ok[3] = m.lock.observe(s.Lock)
	return m, ok == [4]bool{true, true, true, true}
}

// setContents replaces the contents, not their generation.
func (n *fileNode) setContents(contents string) {
	n.contents, n.checksum = contents, 0
	if n.kind == FilePlain {
		n.checksum = xxhash.Sum64String(contents)
	}
}

// hash uses the checksum instead of the contents. The hash is mixed so that sums of hashes are good hashes.
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
