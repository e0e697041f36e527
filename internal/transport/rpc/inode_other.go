//go:build !unix

package rpc

import "io/fs"

// inode is empty: what a file is on this system, length and time tell.
func inode(fs.FileInfo) string { return "" }
