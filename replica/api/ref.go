package api

import "fmt"

// Ref names one node for ever: the instance that was made at the path. Locks and handles
// belong to a Ref, so they end with its node, also if another is made at the same path.
type Ref struct {
	Path     Path
	Instance Instance
}

// String prints path and instance.
func (r Ref) String() string { return fmt.Sprintf("%v#%d", r.Path, r.Instance) }
