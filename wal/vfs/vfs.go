// Package vfs is synchronous: the small file system that everything durable in
// this project is written against, and two versions of it: OS, the machine's
// own, and Mem, in memory, which can crash, tear and fail by seed. Both pass one
// conformance suite (package vfstest).
//
// # What is promised, and what is not
//
// The interface states the weakest disk that the log and the snapshots are
// built for:
//
//   - A write is not durable until Sync or SyncData of that file returned nil.
//     Until then a crash may keep any subset of its 512-byte sectors.
//   - A name (created, renamed, removed) is not durable until SyncDir of its
//     directory returned nil, whether or not the file was synced.
//   - An error from Sync or SyncData is final: the unsynced writes may be gone
//     and a second Sync that returns nil proves nothing about them.
//   - Rename replaces atomically: after a crash the name means the old file or
//     the new one.
//   - A sector may be torn at any byte: some of the bytes written are there, some
//     are not. Bytes that were not written, or written with what they held
//     already, keep their value ("powersafe overwrite").
//
// Names are slash-separated and relative to the root of the file system.
// Errors are *fs.PathError values around fs.ErrExist, fs.ErrNotExist, or one of
// the sentinels in errors.go; they name the operation and the path.
package vfs

import "io"

// FS is a directory tree. An FS and its files are used by one caller at a time
// unless the version says more.
type FS interface {
	// Create makes an empty file and opens it. It fails with fs.ErrExist when
	// the name is taken: nothing here is ever overwritten by accident.
	Create(name string) (File, error)
	// Open opens an existing file for reading and writing.
	Open(name string) (File, error)
	// ReadDir returns the names in a directory in ascending order.
	ReadDir(dir string) ([]string, error)
	// Rename gives a file a new name in place of whatever had it.
	Rename(from, to string) error
	// Remove removes a file or an empty directory.
	Remove(name string) error
	// SyncDir makes the names of a directory durable.
	SyncDir(dir string) error
	// MkdirAll makes a directory and its missing parents, and syncs the parents
	// of all that it made.
	MkdirAll(dir string) error
	// Lock takes an exclusive lock on a name (creating it), held until Close or
	// the end of the process. It fails with ErrLocked while another holds it.
	Lock(name string) (io.Closer, error)
}

// File is an open file.
type File interface {
	// ReadAt is io.ReaderAt: it fills p or says why not.
	io.ReaderAt
	// WriteAt is io.WriterAt; it writes all of p or returns an error, and after
	// an error any part of p may have been written.
	io.WriterAt
	// Sync makes data and size durable.
	Sync() error
	// SyncData makes data durable, and the size as far as reading the data
	// needs it (fdatasync).
	SyncData() error
	// Preallocate sets the size to at least size, so that later writes below
	// it need no change of the file's metadata; the new bytes read as zero.
	Preallocate(size int64) error
	// Truncate cuts or extends the file to size.
	Truncate(size int64) error
	// Size is the present size.
	Size() (int64, error)
	// Close releases the file; it does not sync.
	Close() error
}
