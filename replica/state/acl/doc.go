// Package acl is pure: it decides whether a principal may do something to a node.
//
// A node has three ACL names (CHU §2.3): for reading, for writing and for changing these
// names. Each names a file in the cell's ACL directory, and the file lists principals. A
// principal has a right if the file behind the ACL name of that right lists it (C5.02).
// ACL files are files like any other, with ACL names of their own, so other programs can
// read them (C5.01, C5.08). The package reads them through the interface Files.
//
// Reading order: file.go (what an ACL file says), right.go (the right each call needs),
// check.go (the decision).
//
// # Which names decide
//
// Only the names of the node itself: neither those of its directory nor of any directory
// further up (C2.08). A node gets a copy of its directory's names when it is made; a
// later change of the directory's names does not reach it (C5.03).
//
// What cannot be read denies: an invalid ACL name, a missing ACL file, a directory in
// its place, a line that is no principal. No principal is exempt. So a cell is founded
// with ACL files (tree.Make), and deleting the last file that lists a principal locks
// all clients out.
//
// # When it is asked
//
// Each time a handle is opened (C4.07, C5.05). The handle then has the rights that were
// asked for, and each call on it needs one of them. After a fail-over the new master
// makes the handle again from its token and asks again, for calls that need a right.
package acl
