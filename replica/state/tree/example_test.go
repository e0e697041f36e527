package tree_test

import (
	"fmt"

	"github.com/chubbycell/chubby/db"
	"github.com/chubbycell/chubby/replica/api"
	"github.com/chubbycell/chubby/replica/state/tree"
)

// Two clients write one file, each on the condition that it is as they last saw
// it. The second one learns what it missed.
func ExampleSetContents() {
	rows := db.New()
	tx := rows.Begin()
	names := api.ACLNames{Read: "all", Write: "all", Change: "all"}
	tree.Make(tx, 1, tree.Founding{Root: names, ACL: names, Limits: tree.DefaultLimits(),
		Files: []tree.FoundingFile{{Name: "all", Contents: "*\n"}}})
	path, _ := api.ParsePath("/leader")
	f := tree.Create(tx, 2, tree.Creation{Path: path, Kind: api.File, Owner: "ann"})
	seen := f.Stat.Content

	for i, who := range []string{"ann", "bob"} {
		out := tree.SetContents(tx, api.Number(3+i), f.Node, who, seen)
		fmt.Println(who, out.Code, "generation", out.Stat.Content)
		for _, e := range out.Effects {
			fmt.Printf("  %T", e)
			if c, ok := e.(tree.ChildChanged); ok {
				fmt.Print(" ", c.Name, " ", c.Change)
			}
			fmt.Println()
		}
	}
	contents, _, _ := tree.Contents(tx, f.Node)
	fmt.Println(contents)
	tx.Commit()
	// Output:
	// ann ok generation 3
	//   tree.ContentsChanged
	//   tree.ChildChanged leader modified
	// bob conflict generation 3
	// ann
}
