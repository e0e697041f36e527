// Package cache is pure: what one client has cached of a cell (CHU §2.7).
//
// A Table keeps one entry for each path: contents, metadata, names of children, handles that are
// open at the cell, or that nothing is there. Package client reads it, while the session's lease runs,
// in place of asking the master, and drops what the master tells it to drop. The Table holds what is
// kept and what it depends on. Whether an answer may be kept at all, and until when it may be read, is
// for package session to say (Done.Cacheable, Status.Bound).
//
// Reading order: table.go (what is read), entry.go (what an entry depends on), change.go (reads and the
// client's own changes), limit.go.
//
// # What an entry depends on
//
//	contents, metadata, handles   the node's path; the ACL files that its metadata name
//	names of children             the directory's path; its ACL files, or each where they are not known
//	absence                       the path, and each directory above it
//
// The master names one path, before it makes a change, and Drop removes all that depends on it. An
// absence depends on each directory above, since the client does not know which of them are there.
//
// # The client's own changes
//
// The master does not tell a client to drop what that client's own call changes: the other clients are
// told, and this one knows. From the beginning of such a call until its outcome is settled, what depends
// on the changed paths is not read from the Table and nothing of it is put in. When the call has
// ended, it is removed. A read that was under way at the beginning or at the end is not kept either: the master may have
// read on one side of the change, and the answer arrives on the other.
//
//	read     ├──── asks ─────────── is answered, old ────── arrives ──┤   not kept
//	change            ├── asks ───────────── is made ─ ends ──┤
//
// The outcome of a call that was given up is settled when no copy of it can be executed any more
// (package session, Output.Settled).
package cache
