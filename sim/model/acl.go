package model

import (
	"strings"

	"github.com/chubbycell/chubby/replica/api"
)

// ACLDir is where ACL files stand.
const ACLDir = "/acl"

// ACLNames are the names of the files that govern reading, writing and changing the names.
func ACLNames(n api.ACLNames) [3]string {
	return [3]string{string(n.Read), string(n.Write), string(n.Change)}
}

// InheritACL takes from a directory what a new node was not given (C5.03).
func InheritACL(own, dir [3]string) [3]string {
	for i := range own {
		if own[i] == "" {
			own[i] = dir[i]
		}
	}
	return own
}

// Parent is the path of the directory that a node stands in.
func Parent(path string) string { return path[:max(1, strings.LastIndexByte(path, '/'))] }
