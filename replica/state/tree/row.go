package tree

import (
	"encoding/binary"
	"fmt"
	"iter"

	"github.com/chubbycell/chubby/db"
	"github.com/chubbycell/chubby/internal/invariant"
	"github.com/chubbycell/chubby/replica/api"
)

// Reader reads rows: a *db.Txn, a *db.DB or a db.View.
type Reader interface {
	Get(key string) (value string, ok bool)
	Ascend(from, to string) iter.Seq2[string, string]
	Scan(prefix string) iter.Seq2[string, string]
}

// version is the first byte of the value of each row.
const version = 1

// node is a row of FamilyNode.
type node struct {
	path  api.Path
	stat  api.Stat
	bytes uint64        // of a directory: the lengths of its children together
	owner api.Principal // is charged for it; empty: the cell
}

func (n node) ref() api.Ref { return api.Ref{Path: n.path, Instance: n.stat.Instance} }

func encodeNode(n node) string {
	b := api.AppendStat([]byte{version}, n.stat)
	b = binary.BigEndian.AppendUint64(b, n.bytes)
	return string(append(b, n.owner...))
}

func decodeNode(p api.Path, value string) (node, error) {
	if value == "" || value[0] != version {
		return node{}, fmt.Errorf("I-F1: node %v holds %.40q", p, value)
	}
	s, rest, err := api.DecodeStat(value[1:])
	if err != nil || len(rest) < 8 {
		return node{}, fmt.Errorf("I-F1: node %v holds %.40q: %v", p, value, err)
	}
	n := node{path: p, stat: s, bytes: number(rest), owner: api.Principal(rest[8:])}
	if n.owner != "" && n.owner.Check() != api.OK || s.Kind == api.File && n.bytes != 0 {
		return node{}, fmt.Errorf("I-F1: node %v is owned by %q and counts %d bytes", p, n.owner, n.bytes)
	}
	return n, nil
}

// number reads the first 8 bytes of s.
func number(s string) uint64 { return binary.BigEndian.Uint64([]byte(s[:8])) }

func getNode(r Reader, p api.Path) (n node, ok bool) {
	value, ok := r.Get(nodeKey(p))
	if !ok {
		return node{}, false
	}
	return mustNode(p, value), true
}

// find reads the node that ref names: OK, or Gone if the path has no node or another
// instance.
func find(r Reader, ref api.Ref) (node, api.Code) {
	n, ok := getNode(r, ref.Path)
	if !ok || n.stat.Instance != ref.Instance {
		return node{}, api.Gone
	}
	return n, api.OK
}

func mustNode(p api.Path, value string) node {
	n, err := decodeNode(p, value)
	if err != nil {
		invariant.Failf("I-F1", "%v", err)
	}
	return n
}

// mustNodeAt reads a row of FamilyNode that an iteration has found.
func mustNodeAt(key, value string) node {
	k, ok := ParseKey(key)
	if !ok {
		invariant.Failf("I-F1", "a node at %.80q", key)
	}
	return mustNode(k.Path, value)
}

func putNode(tx *db.Txn, n node) { tx.Put(nodeKey(n.path), encodeNode(n)) }

// getContents reads the contents of a file that is there.
func getContents(r Reader, p api.Path) string {
	value, ok := r.Get(contentsKey(p))
	if !ok {
		invariant.Failf("I-F4", "the file %v has no contents", p)
	}
	if value == "" || value[0] != version {
		invariant.Failf("I-F1", "the contents of %v are %.40q", p, value)
	}
	return value[1:]
}

func putContents(tx *db.Txn, p api.Path, contents string) {
	tx.Put(contentsKey(p), string(rune(version))+contents)
}

// encodeNumbers and decodeNumbers are for the values of fixed layout.
func encodeNumbers(ns ...uint64) string {
	b := []byte{version}
	for _, n := range ns {
		b = binary.BigEndian.AppendUint64(b, n)
	}
	return string(b)
}

func decodeNumbers(key, value string, ns ...*uint64) error {
	if len(value) != 1+8*len(ns) || value[0] != version {
		return fmt.Errorf("I-F1: row %.40q holds %.40q", key, value)
	}
	for i, n := range ns {
		*n = number(value[1+8*i:])
	}
	return nil
}
