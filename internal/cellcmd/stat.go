package cellcmd

import (
	"fmt"

	"github.com/chubbycell/chubby/client"
)

// stat is the metadata of a node.
type stat struct {
	Name       string `json:"name"`            // the full name
	Kind       string `json:"kind"`            // file or directory
	Ephemeral  bool   `json:"ephemeral"`       // it is deleted when no client has it open
	Instance   uint64 `json:"instance"`        // greater than that of an earlier node of this name
	Generation uint64 `json:"generation"`      // of the contents; 0: a directory
	LockGen    uint64 `json:"lock_generation"` // grows when the lock goes from free to held
	ACLGen     uint64 `json:"acl_generation"`  // of the ACL names
	Length     uint64 `json:"length"`          // of a file's contents, in bytes
	Checksum   string `json:"checksum"`        // XXH64 of a file's contents, hexadecimal
	Children   uint64 `json:"children"`        // how many a directory has
	Read       string `json:"acl_read"`        // file in /acl with those who may read the node
	Write      string `json:"acl_write"`       // file in /acl with those who may write it
	Change     string `json:"acl_change"`      // file in /acl with those who may change its ACL names
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
		return a.Document(statSchema, statOf(name, s))
	}
	return a.Printf("%s generation %d\n", name, s.Content)
}
