package model

import (
	"strings"

	"github.com/chubbycell/chubby/replica/api"
)

// ACLDir is the directory that holds the ACL files.
const ACLDir = "/acl"

// ACLNames returns the names of the ACL files that govern reading, writing, and changing
// these names.
func ACLNames(n api.ACLNames) [3]string {
	return [3]string{string(n.Read), string(n.Write), string(n.Change)}
}

// InheritACL replaces each name in own that is empty by the directory's (C5.03).
func InheritACL(own, dir [3]string) [3]string {
	for i := range own {
		if own[i] == "" {
			own[i] = dir[i]
		}
	}
	return own
}

// Parent returns the path of the directory that contains a node.
func Parent(path string) string { return path[:max(1, strings.LastIndexByte(path, '/'))] }
