package model

import (
	"github.com/chubbycell/chubby/linearizability"
	"github.com/chubbycell/chubby/replica/api"
)

// FileStat converts a node's metadata to the form of the linearizability model.
func FileStat(s api.Stat) linearizability.FileStat {
	f := linearizability.FileStat{
		Ephemeral: s.Ephemeral, Instance: uint64(s.Instance), Content: uint64(s.Content), ACL: uint64(s.ACL), Lock: uint64(s.Lock),
		Length: int64(s.Length), Checksum: uint64(s.Checksum), Children: int64(s.Children),
		Names: linearizability.FileNames{string(s.Names.Read), string(s.Names.Write), string(s.Names.Change)},
	}
	switch s.Kind {
	case api.Directory:
		f.Kind = linearizability.FileDirectory
	case api.File:
		f.Kind = linearizability.FilePlain
	}
	return f
}
