package vfs

import (
	"errors"
	"io/fs"
)

var (
	// ErrIO is what a disk says when it cannot read or write a place. From Sync
	// it is final (see the package comment).
	ErrIO = errors.New("input/output error")
	// ErrNoSpace says that the disk is full; part of the write may be there.
	ErrNoSpace = errors.New("no space left on device")
	// ErrIsDirectory is what Open says of a directory, where the file system tells the two apart.
	ErrIsDirectory = errors.New("is a directory")
	// ErrLocked is Lock's answer while another process, or another lock of this
	// one, holds the name.
	ErrLocked = errors.New("locked by another")
	// ErrCrashed is the answer of everything that was opened before Mem.Crash or
	// Mem.Kill: its process is dead.
	ErrCrashed = errors.New("the process of this file is dead")
)

// wrap puts the operation and the path around an error; nil stays nil.
func wrap(op Op, name string, err error) error {
	if err == nil {
		return nil
	}
	return &fs.PathError{Op: op.String(), Path: name, Err: err}
}

// checkName refuses what is not a clean slash-separated relative name.
func checkName(op Op, name string) error {
	if !fs.ValidPath(name) {
		return wrap(op, name, fs.ErrInvalid)
	}
	return nil
}
