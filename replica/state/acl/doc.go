// Package acl is pure: who may do what to a node.
//
// A node has three ACL names (CHU §2.3). Each names a file in the cell's ACL
// directory, and the file lists principals: those in the file that the write name
// names may write the node, and so on (C5.02). ACL files are files like any other,
// with ACL names of their own, so other programs can read them (C5.01, C5.08).
//
// Reading order: file.go (what an ACL file says), right.go (what each call needs),
// check.go (the answer).
//
// # Whom to ask
//
// The names of the node decide and nothing else does: neither the directory it
// stands in nor any further up (C2.08). A node gets the names of its directory by
// copy, when it is made; a change of the directory's names later does not reach it
// (C5.03).
//
// What cannot be read denies: a name that is none, an ACL file that is missing or
// is a directory, a line that is no principal. There is nobody to whom this does
// not apply, so a cell is founded with ACL files (tree.Make), and who deletes the
// last one that lists somebody shuts everybody out.
//
// # When it is asked
//
// Whenever a handle is opened (C4.07, C5.05). The handle then has the rights that
// were asked for, and each call on it needs one of them; a new master that makes
// the handle again asks again.
package acl
