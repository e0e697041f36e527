package tree

import "github.com/chubbycell/chubby/replica/api"

// Above is a principal or a directory that has more than a limit allows.
type Above struct {
	Principal   api.Principal // empty: Directory is meant
	Directory   api.Path
	Unit        string // "nodes" or "bytes"
	Used, Limit uint64
}

// FindAbove returns a principal or directory that has more than l allows; ok is false if there is none.
// Only limits that l lowers count; a limit of 0 lowers nothing. FindAbove reads the rows of all principals
// if l lowers a limit of principals, and those of all nodes if it lowers a limit of directories.
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

// below returns u, with each number that is not below that of v set to 0.
func (u Usage) below(v Usage) Usage {
	if u.Nodes >= v.Nodes {
		u.Nodes = 0
	}
	if u.Bytes >= v.Bytes {
		u.Bytes = 0
	}
	return u
}

// above reports whether u exceeds a limit, and which one; a limit of 0 does not count.
func (u Usage) above(limit Usage) (Above, bool) {
	switch {
	case limit.Nodes != 0 && u.Nodes > limit.Nodes:
		return Above{Unit: "nodes", Used: u.Nodes, Limit: limit.Nodes}, true
	case limit.Bytes != 0 && u.Bytes > limit.Bytes:
		return Above{Unit: "bytes", Used: u.Bytes, Limit: limit.Bytes}, true
	}
	return Above{}, false
}
