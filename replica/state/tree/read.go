package tree

import (
	"iter"

	"github.com/chubbycell/chubby/internal/invariant"
	"github.com/chubbycell/chubby/replica/api"
)

// Lookup finds the node at a path: OK, or NotFound. It reads one row, and none of the
// directories above.
func Lookup(r Reader, p api.Path) (api.Ref, api.Stat, api.Code) {
	n, ok := getNode(r, p)
	if !ok {
		return api.Ref{}, api.Stat{}, api.NotFound
	}
	return n.ref(), n.stat, api.OK
}

// Stat reads the metadata of a node: OK, or Gone.
func Stat(r Reader, ref api.Ref) (api.Stat, api.Code) {
	n, code := find(r, ref)
	return n.stat, code
}

// Contents reads the contents of a file, and the metadata that goes with them:
// OK, Gone, or IsDirectory.
func Contents(r Reader, ref api.Ref) (string, api.Stat, api.Code) {
	n, code := find(r, ref)
	switch {
	case code != api.OK:
		return "", api.Stat{}, code
	case n.stat.Kind == api.Directory:
		return "", n.stat, api.IsDirectory
	}
	return getContents(r, ref.Path), n.stat, api.OK
}

// Owner is the principal that is charged for a node, empty for the cell: OK, or Gone.
func Owner(r Reader, ref api.Ref) (api.Principal, api.Code) {
	n, code := find(r, ref)
	return n.owner, code
}

// List reads the children of a directory, names and metadata, in the order of
// their names: OK, Gone, or NotDirectory. A list has at most api.MaxListPairs
// children, or most of them if that is less and not 0, and api.MaxListBytes bytes. more
// reports that there are others: the rest is listed after the last name. The first list
// begins after "".
func List(r Reader, ref api.Ref, after string, most uint64) (children []api.Child, more bool, code api.Code) {
	n, code := find(r, ref)
	switch {
	case code != api.OK:
		return nil, false, code
	case n.stat.Kind != api.Directory:
		return nil, false, api.NotDirectory
	}
	if most == 0 || most > api.MaxListPairs {
		most = api.MaxListPairs
	}
	size := 0
	for child := range childrenAfter(r, ref.Path, after) {
		if size += child.Bytes(); size > api.MaxListBytes || uint64(len(children)) == most {
			return children, true, api.OK
		}
		children = append(children, child)
	}
	return children, false, api.OK
}

func childrenAfter(r Reader, dir api.Path, after string) iter.Seq[api.Child] {
	return func(yield func(api.Child) bool) {
		prefix := childrenOf(dir)
		last := len(prefix) - 1 // a slash, or the depth of the root's children
		from, end := prefix, prefix[:last]+string(rune(prefix[last]+1))
		if after != "" {
			from += after + "\x00"
		}
		for key, value := range r.Ascend(from, end) {
			if n := mustNodeAt(key, value); !yield(api.Child{Name: n.path.Base(), Stat: n.stat}) {
				return
			}
		}
	}
}

// Nodes iterates over all nodes, in the order of their paths. No row may change
// before the iteration is over.
func Nodes(r Reader) iter.Seq2[api.Ref, api.Stat] {
	return func(yield func(api.Ref, api.Stat) bool) {
		for key, value := range r.Scan(string(rune(FamilyNode))) {
			if n := mustNodeAt(key, value); !yield(n.ref(), n.stat) {
				return
			}
		}
	}
}

// Ephemerals iterates over the ephemeral nodes, in the order of their paths, and
// over no others. No row may change before the iteration is over.
func Ephemerals(r Reader) iter.Seq[api.Ref] {
	return func(yield func(api.Ref) bool) {
		for key, value := range r.Scan(string(rune(FamilyEphemeral))) {
			k, ok := ParseKey(key)
			if !ok {
				invariant.Failf("I-F1", "an ephemeral node at %.80q", key)
			}
			ref := api.Ref{Path: k.Path}
			must(decodeNumbers(key, value, (*uint64)(&ref.Instance)))
			if !yield(ref) {
				return
			}
		}
	}
}

// Files reads files by path, for acl.Check.
type Files struct{ Reader Reader }

// Contents reads the file that stands at a path; ok is false where there is no
// node, or a directory.
func (f Files) Contents(p api.Path) (contents string, ok bool) {
	n, ok := getNode(f.Reader, p)
	if !ok || n.stat.Kind != api.File {
		return "", false
	}
	return getContents(f.Reader, p), true
}
