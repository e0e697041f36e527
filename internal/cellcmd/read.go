package cellcmd

import (
	"context"
	"unicode/utf8"

	"github.com/spf13/cobra"

	"github.com/chubbycell/chubby/client"
	"github.com/chubbycell/chubby/internal/cli"
)

// listing is what ls prints with -o json; the help says so.
type listing struct {
	Nodes []stat `json:"nodes"` // the children, by name
}

// fileRead is what cat prints with -o json; the help says so.
type fileRead struct {
	Contents string `json:"contents"`                  // with U+FFFD for what is not UTF-8
	Bytes    []byte `json:"contents_base64,omitempty"` // the whole contents, if they are not UTF-8
	stat
}

func lsCommand() *cobra.Command {
	a, long := &call{}, false
	c := &cobra.Command{
		Use:   "ls [PATH]",
		Short: "List the children of a directory",
		Long: `Ls prints the names of the children of a directory, one per line; names of directories
end with a '/'. Without PATH it lists the root of the cell. -l prints a table: kind, length,
generation of the contents, ACL names for reading, writing and changing them, and name.

With -o json it prints one object: nodes, an array of objects like those of chubby stat,
with full names.`,
		Args: cli.Some(0, 1, "one path at most"),
	}
	a.register(c, func(ctx context.Context, args []string) error {
		path := "/"
		if len(args) > 0 {
			path = args[0]
		}
		return a.ls(ctx, path, long)
	})
	c.Flags().BoolVarP(&long, "long", "l", false, "print metadata, too")
	return c
}

func (a *call) ls(ctx context.Context, path string, long bool) error {
	return a.onNode(ctx, path, client.OpenOptions{}, func(ctx context.Context, h *client.Handle) error {
		children, err := h.ReadDir(ctx)
		if err != nil {
			return err
		}
		all := []stat{}
		for _, child := range children {
			all = append(all, statOf(child.Name, child.Stat))
		}
		if a.isJSON() {
			for i := range all {
				all[i].Name = h.Name() + "/" + all[i].Name
			}
			return a.Document(lsSchema, listing{all})
		}
		t := cli.NewColumns(a.Out)
		if long && len(all) > 0 {
			t.Row("kind\tlength\tgeneration\tread\twrite\tchange\tname\n")
		}
		for _, s := range all {
			name := s.Name
			if s.Kind == "directory" {
				name += "/"
			}
			if !long {
				t.Row("%s\n", name)
				continue
			}
			t.Row("%s\t%d\t%d\t%s\t%s\t%s\t%s\n", s.Kind, s.Length, s.Generation, s.Read, s.Write, s.Change, name)
		}
		return t.End()
	})
}

func catCommand() *cobra.Command {
	a := &call{}
	c := &cobra.Command{
		Use:   "cat PATH",
		Short: "Print the contents of a file",
		Long: `Cat prints the contents of a file unchanged, and adds no line break.

With -o json it prints one object: contents, and the fields of chubby stat. JSON cannot hold
bytes that are not UTF-8. For a file with such bytes, contents_base64 holds all bytes, and
contents has U+FFFD in their places.`,
		Args: cli.One("path of a file"),
	}
	return a.register(c, func(ctx context.Context, args []string) error {
		if _, err := a.fileName(args[0]); err != nil {
			return err
		}
		return a.onNode(ctx, args[0], client.OpenOptions{}, func(ctx context.Context, h *client.Handle) error {
			text, s, err := h.Contents(ctx)
			switch {
			case err != nil:
				return err
			case a.isJSON():
				var bytes []byte
				if !utf8.ValidString(text) {
					bytes = []byte(text)
				}
				return a.Document(catSchema, fileRead{text, bytes, statOf(h.Name(), s)})
			}
			return a.Printf("%s", text)
		})
	})
}

func statCommand() *cobra.Command {
	a := &call{}
	c := &cobra.Command{
		Use:   "stat PATH",
		Short: "Print the metadata of a node",
		Long: `Stat prints the metadata of a file or a directory. It has no times: a cell keeps none.

` + statHelp,
		Args: cli.One("path of a node"),
	}
	return a.register(c, func(ctx context.Context, args []string) error {
		return a.onNode(ctx, args[0], client.OpenOptions{}, func(ctx context.Context, h *client.Handle) error {
			now, err := h.Stat(ctx)
			s := statOf(h.Name(), now)
			switch {
			case err != nil:
				return err
			case a.isJSON():
				return a.Document(statSchema, s)
			}
			t := cli.NewColumns(a.Out)
			t.Row("name\t%s\nkind\t%s\nephemeral\t%v\ninstance\t%d\n", s.Name, s.Kind, s.Ephemeral, s.Instance)
			t.Row("generation\t%d\nlock generation\t%d\nacl generation\t%d\n", s.Generation, s.LockGen, s.ACLGen)
			t.Row("length\t%d\nchecksum\t%s\nchildren\t%d\n", s.Length, s.Checksum, s.Children)
			t.Row("acl\tread %s, write %s, change %s\n", s.Read, s.Write, s.Change)
			return t.End()
		})
	})
}
