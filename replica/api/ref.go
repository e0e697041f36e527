package api

import (
	"cmp"
	"fmt"
)

// Ref names one node for ever: the instance that was created at the path. Locks and handles belong
// to a Ref, so they end with its node, even if another node is created at the same path.
type Ref struct {
	Path     Path
	Instance Instance
}

// Compare orders nodes by path, and nodes of one path by the time when they were created.
func (r Ref) Compare(o Ref) int {
	return cmp.Or(r.Path.Compare(o.Path), cmp.Compare(r.Instance, o.Instance))
}

// String returns path and instance.
func (r Ref) String() string { return fmt.Sprintf("%v#%d", r.Path, r.Instance) }
