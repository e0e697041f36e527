//go:build !unix

package server

// mostOpenFiles is how many files, connections among them, the system lets the process have; 0: it does not say.
func mostOpenFiles() uint64 { return 0 }
