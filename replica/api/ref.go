package api

import (
	"cmp"
	"fmt"
)

// Ref names one node for ever: the instance that was made at the path. Locks and handles
// belong to a Ref, so they end with its node, also if another is made at the same path.
type Ref struct {
	Path     Path
	Instance Instance
}

// Compare orders nodes by path, and those of one path by the time at which they were made.
func (r Ref) Compare(o Ref) int {
	return cmp.Or(r.Path.Compare(o.Path), cmp.Compare(r.Instance, o.Instance))
}

// String prints path and instance.
func (r Ref) String() string { return fmt.Sprintf("%v#%d", r.Path, r.Instance) }
