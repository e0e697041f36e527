package cellcmd

import (
	"context"
	"errors"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"github.com/chubbycell/chubby/client"
	"github.com/chubbycell/chubby/internal/cli"
)

// maxContents is the longest contents of a file, in bytes.
const maxContents = 256 << 10

func putCommand() *cobra.Command {
	a := &call{}
	var when uint64
	var fresh bool
	c := &cobra.Command{
		Use:   "put PATH [CONTENTS]",
		Short: "Write a file, and create it if need be",
		Long: `Put writes the contents of a file, at most 256 KiB. Without CONTENTS, or with '-' in
their place, it reads them from stdin. It creates a file that does not exist; the
directory must exist. It prints the generation of the new contents.

With --if-generation it writes only if the contents have this generation still, which
put, stat and cat -o json print: else another writer was faster, the exit code is 7,
and the file is as it was.

` + statHelp,
		Args: cobra.RangeArgs(1, 2),
	}
	a.register(c, func(ctx context.Context, args []string) error {
		if c.Flags().Changed("if-generation") && when == 0 {
			return cli.Usage("--if-generation 0: generations begin at 1")
		}
		contents, err := a.contents(args[1:])
		if err != nil {
			return err
		}
		return a.put(ctx, args[0], contents, when, fresh)
	})
	c.Flags().Uint64Var(&when, "if-generation", 0, "write only if the contents have this generation")
	c.Flags().BoolVar(&fresh, "new", false, "write only if the file does not exist")
	c.MarkFlagsMutuallyExclusive("new", "if-generation")
	return c
}

// contents are those of the argument, or else those of stdin.
func (a *call) contents(args []string) (string, error) {
	text := ""
	if len(args) > 0 && args[0] != "-" {
		text = args[0]
	} else {
		b, err := io.ReadAll(io.LimitReader(a.In, maxContents+1))
		if err != nil {
			return "", cli.Usage("stdin: %v", err)
		}
		text = string(b)
	}
	if len(text) > maxContents {
		return "", cli.Usage("the contents have more than %d bytes, which is the most that a file holds", maxContents)
	}
	return text, nil
}

func (a *call) put(ctx context.Context, path, contents string, when uint64, fresh bool) error {
	o := client.OpenOptions{Rights: client.Write, Create: client.CreateMay, Contents: contents}
	switch {
	case fresh:
		o.Create = client.CreateMust
	case when != 0:
		o.Create, o.Contents = client.CreateNever, ""
	}
	return a.onNode(ctx, path, o, func(ctx context.Context, h *client.Handle) error {
		s := h.StatAtOpen()
		if !h.Created() {
			var err error
			if s, err = h.SetContents(ctx, contents, client.ContentGen(when)); err != nil {
				return err
			}
		}
		return a.printStat(h.Name(), s)
	})
}

func mkdirCommand() *cobra.Command {
	a, parents := &call{}, false
	c := &cobra.Command{
		Use:   "mkdir PATH",
		Short: "Make a directory",
		Long: `Mkdir makes a directory, with the ACL names of its parent. A directory that exists is
an error (exit code 7), except with -p, which makes missing parents, too.

` + statHelp,
		Args: cli.One("path of a directory"),
	}
	a.register(c, func(ctx context.Context, args []string) error { return a.mkdir(ctx, args[0], parents) })
	c.Flags().BoolVarP(&parents, "parents", "p", false, "make missing parents, and accept what exists")
	return c
}

func (a *call) mkdir(ctx context.Context, path string, parents bool) error {
	name, err := fullName(path)
	if err != nil {
		return err
	}
	dir := func(ctx context.Context, cl *client.Client, name string, how client.Creation) (*client.Handle, error) {
		return cl.Open(ctx, name, client.OpenOptions{Create: how, Directory: true})
	}
	return a.within(ctx, func(ctx context.Context, cl *client.Client) error {
		how := client.CreateMust
		if parents {
			how = client.CreateMay
			parts := strings.Split(name, "/") // "", "ls", the cell, and the path
			for i := 4; i < len(parts); i++ {
				if _, err := dir(ctx, cl, strings.Join(parts[:i], "/"), how); err != nil {
					return err
				}
			}
		}
		h, err := dir(ctx, cl, name, how)
		if err != nil {
			return err
		}
		if h.StatAtOpen().Kind.String() != "directory" {
			return &client.Error{Op: "mkdir", Key: name, Causes: []error{client.ErrExists, errors.New("as a file")}}
		}
		if a.isJSON() {
			return a.JSON(statOf(name, h.StatAtOpen()))
		}
		return nil
	})
}

func rmCommand() *cobra.Command {
	a := &call{}
	c := &cobra.Command{
		Use:   "rm PATH",
		Short: "Delete a file or an empty directory",
		Long:  `Rm deletes a file, or a directory without children. Handles that have it open become invalid.`,
		Args:  cli.One("path of a node"),
	}
	return a.register(c, func(ctx context.Context, args []string) error {
		return a.onNode(ctx, args[0], client.OpenOptions{Rights: client.Write}, func(ctx context.Context, h *client.Handle) error {
			return h.Delete(ctx)
		})
	})
}

func aclCommand() *cobra.Command {
	a := &call{}
	var set client.ACLNames
	c := &cobra.Command{
		Use:   "acl PATH",
		Short: "Print or change the ACL names of a node",
		Long: `Acl prints the three ACL names of a node, or changes those that flags give. Each
names a file in the directory /acl of the cell, whose lines are the principals
that may read the node, write it, or change its ACL names; '*' is everybody.

A change is made only if no other one came between: else the exit code is 7.

` + statHelp,
		Args: cli.One("path of a node"),
	}
	a.register(c, func(ctx context.Context, args []string) error { return a.acl(ctx, args[0], set) })
	f := c.Flags()
	f.StringVar((*string)(&set.Read), "read", "", "set the ACL name for reading")
	f.StringVar((*string)(&set.Write), "write", "", "set the ACL name for writing")
	f.StringVar((*string)(&set.Change), "change", "", "set the ACL name for changing ACL names")
	return c
}

func (a *call) acl(ctx context.Context, path string, set client.ACLNames) error {
	o := client.OpenOptions{}
	if set != (client.ACLNames{}) {
		o.Rights = client.Read | client.ChangeACL
	}
	return a.onNode(ctx, path, o, func(ctx context.Context, h *client.Handle) error {
		s, err := h.Stat(ctx)
		if err == nil && set != (client.ACLNames{}) {
			s, err = h.SetACL(ctx, set.Or(s.Names), s.ACL)
		}
		switch {
		case err != nil:
			return err
		case a.isJSON():
			return a.JSON(statOf(h.Name(), s))
		}
		return a.Printf("read %s\nwrite %s\nchange %s\n", s.Names.Read, s.Names.Write, s.Names.Change)
	})
}
