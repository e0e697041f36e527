package cellcmd

import (
	"fmt"

	"github.com/chubbycell/chubby/client"
)

// stat is the metadata of a node as -o json prints it.
type stat struct {
	Name       string `json:"name"`
	Kind       string `json:"kind"` // "file" or "directory"
	Ephemeral  bool   `json:"ephemeral"`
	Instance   uint64 `json:"instance"`
	Generation uint64 `json:"generation"` // of the contents
	LockGen    uint64 `json:"lock_generation"`
	ACLGen     uint64 `json:"acl_generation"`
	Length     uint64 `json:"length"`
	Checksum   string `json:"checksum"` // XXH64 of the contents
	Children   uint64 `json:"children"`
	Read       string `json:"acl_read"`
	Write      string `json:"acl_write"`
	Change     string `json:"acl_change"`
}

func statOf(name string, s client.Stat) stat {
	return stat{
		Name: name, Kind: s.Kind.String(), Ephemeral: s.Ephemeral, Instance: uint64(s.Instance),
		Generation: uint64(s.Content), LockGen: uint64(s.Lock), ACLGen: uint64(s.ACL),
		Length: s.Length, Checksum: fmt.Sprintf("%016x", uint64(s.Checksum)), Children: s.Children,
		Read: string(s.Names.Read), Write: string(s.Names.Write), Change: string(s.Names.Change),
	}
}

// statHelp explains the fields.
const statHelp = `With -o json it prints one object: name, kind, ephemeral, instance, generation,
lock_generation, acl_generation, length, checksum, children, acl_read, acl_write,
acl_change.`

// printStat prints one line, or an object.
func (a *call) printStat(name string, s client.Stat) error {
	if a.isJSON() {
		return a.JSON(statOf(name, s))
	}
	return a.Printf("%s generation %d\n", name, s.Content)
}
