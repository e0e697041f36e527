// Package tree is pure: the files and directories of a cell as rows of a db.
//
// The tree is strict (CHU §2.3): each node has one path, each but the root stands in a
// directory, there are no links, and no node moves. This package defines the rows of a
// node and how each operation changes them. Rights are not checked here
// (replica/state/acl), and open handles and locks are not known here; a command
// (replica/state/command) combines them. All functions depend on the rows and their
// arguments alone. Each operation returns an Outcome: a code, the node, and effects.
//
// Reading order: key.go (where rows stand), row.go (what is in them), read.go; then
// the operations: op.go (what they share), make.go, create.go, write.go, delete.go,
// quota.go, above.go; effect.go; audit.go.
//
// # The families
//
//	key                  value, behind a version byte                 family
//	't' depth path       stat (api.AppendStat), bytes u64, owner      node
//	'b' depth path       the contents of the file at path             contents
//	'i' depth path       instance u64                                 index: the ephemeral nodes
//	'p' principal        nodes u64, bytes u64                         usage
//	'q'                  4 x u64                                      limits
//
// Depth is one byte: the number of components of the path. The path has no slash
// in front. Numbers in values are big-endian. So the rows of
//
//	/  /a  /a/x  /a/y  /ab  /ab/z
//
// stand in the order
//
//	t0      t1a     t1ab    t2a/x   t2a/y   t2ab/z
//
// and the children of a directory are neighbours, without their own children in
// between (C14.02): the rows that begin with 't', its depth + 1, its path and a
// slash, and no others. The slash counts: "t2a" also begins t2ab/z. The children
// of the root are the rows that begin with t1.
//
// Contents have a row apart from metadata, so that GetStat and ReadDir do not read the
// bytes of files. They are one row, of any length, so they are written and read whole
// (C3.12). A directory's row counts its children and the bytes of their contents, so that
// one row tells whether it is empty and within its quota (C6.13).
//
// # Numbers
//
// Each operation that changes something is given the number of its command,
// which is greater than that of any command before it in the cell's whole life.
// A generation *is* the number of the command that last moved it, and the
// instance is that of the command that made the node; a new node's lock and ACL
// generations start there, too. So no number restarts, even if a node is deleted and
// made again, and nothing needs to be remembered of deleted nodes
// (C3.04-C3.08). A command does at most one operation of this package.
//
// A handle is bound to an instance (C4.05). Operations take an api.Ref, which is Gone
// where the path has no node or another instance.
//
// The lock generation is that of replica/state/lock: the command that grants a free lock
// calls BumpLock.
//
// # What is refused, and in which order
//
// The first code whose condition applies is the answer, and then no row has changed:
//
//	Create       Exists · Invalid · TooLarge · NotFound (no parent) · NotDirectory (parent is a file) · Quota
//	Contents     Gone · IsDirectory
//	List         Gone · NotDirectory
//	SetContents  TooLarge · Gone · IsDirectory · Conflict · Quota
//	SetACL       Invalid · Gone · Conflict
//	BumpLock     Gone
//	Delete       Invalid (the root, the ACL directory) · Gone · NotEmpty
//
// The root and the ACL directory stay for ever: a client that could replace the ACL
// directory would have every right in the cell.
//
// # Quotas
//
// A node is charged to its owner, the principal that made it, even when another
// principal writes it later, and to the directory it stands in, but not to directories
// further up. So an operation on a node changes the rows of that node, its parent and
// its owner, at any depth. Only growth is refused: above the limit a file may still be
// cut and a node deleted. Nodes that Make makes have no owner and are charged to their
// directories only.
//
// # What each operation writes
//
//	Create       node, contents (of a file), index (where ephemeral), parent, usage of the owner
//	SetContents  node, contents; parent and usage where the length differs
//	SetACL       node
//	BumpLock     node
//	Delete       node, contents (of a file), index (where ephemeral), parent, usage of the owner
//
// # Invariants
//
//	I-F1  pair   a row that is read was written by this package
//	I-F2  state  every node but the root stands in a directory that was made before it
//	I-F3  state  a directory counts its children and the bytes of their contents
//	I-F4  state  each file, and nothing else, has a row of contents, with the length and the checksum that its metadata say
//	I-F5  delta  a generation that moves becomes the number of the command, which is greater; none is below the instance
//	I-F6  state  a principal's usage is the sum over the nodes it owns; a principal without nodes has no row
//	I-F7  delta  an operation that is refused has changed no row
//	I-F8  state  the root and the ACL directory are there from Make on, permanent directories
//	I-F9  state  the index has each ephemeral node, with its instance, and nothing else
package tree
