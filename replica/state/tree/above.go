package tree

import "github.com/chubbycell/chubby/replica/api"

// Above is a principal or a directory that has more than a limit allows.
type Above struct {
	Principal   api.Principal // empty: Directory is meant
	Directory   api.Path
	Unit        string // "nodes" or "bytes"
	Used, Limit uint64
}

// FindAbove looks for a principal or a directory with more than l allows, for each limit that l
// lowers; a limit of 0 is not one. It reads the rows of all principals, and those of all nodes if l
// lowers what a directory may hold.
func FindAbove(r Reader, l Limits) (x Above, ok bool) {
	now := GetLimits(r)
	if l.Principal = l.Principal.below(now.Principal); l.Principal != (Usage{}) {
		for key, value := range r.Scan(string(rune(FamilyUsage))) {
			k, _ := ParseKey(key)
			var u Usage
			must(decodeNumbers(key, value, &u.Nodes, &u.Bytes))
			if x, ok = u.above(l.Principal); ok {
				x.Principal = k.Principal
				return x, true
			}
		}
	}
	if l.Directory = l.Directory.below(now.Directory); l.Directory != (Usage{}) {
		for key, value := range r.Scan(string(rune(FamilyNode))) {
			n := mustNodeAt(key, value)
			if x, ok = n.usage().above(l.Directory); ok {
				x.Directory = n.path
				return x, true
			}
		}
	}
	return Above{}, false
}

// below is u without what is not below v.
func (u Usage) below(v Usage) Usage {
	if u.Nodes >= v.Nodes {
		u.Nodes = 0
	}
	if u.Bytes >= v.Bytes {
		u.Bytes = 0
	}
	return u
}

// above says by what u is above a limit, if it is.
func (u Usage) above(limit Usage) (Above, bool) {
	switch {
	case limit.Nodes != 0 && u.Nodes > limit.Nodes:
		return Above{Unit: "nodes", Used: u.Nodes, Limit: limit.Nodes}, true
	case limit.Bytes != 0 && u.Bytes > limit.Bytes:
		return Above{Unit: "bytes", Used: u.Bytes, Limit: limit.Bytes}, true
	}
	return Above{}, false
}
