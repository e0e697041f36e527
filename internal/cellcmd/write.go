package cellcmd

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/spf13/cobra"
	"golang.org/x/term"

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
		Long: `Put writes the contents of a file, at most 256 KiB. Without CONTENTS, or if CONTENTS is
'-', it reads them from stdin; put CONTENTS that begin with '-' after '--'. It creates a file
that does not exist; the directory must exist. It prints the generation of the new contents.

With --if-generation it writes only if the contents still have this generation, as printed
by put, stat and cat -o json. Otherwise another writer was faster: the exit code is 7, and the
file is unchanged.

` + forceHelp + `

` + statHelp,
		Args: cli.Some(1, 2, "a path and the contents, quoted if they have spaces, or from stdin"),
	}
	a.register(c, func(ctx context.Context, args []string) error {
		if c.Flags().Changed("if-generation") && when == 0 {
			return cli.Usage("--if-generation 0: generations begin at 1")
		}
		contents, err := a.contents(ctx, args[1:])
		if err != nil {
			return err
		}
		return a.put(ctx, args[0], contents, when, fresh)
	})
	c.Flags().Uint64Var(&when, "if-generation", 0, "write only if the contents have this generation")
	c.Flags().BoolVar(&fresh, "new", false, "write only if the file does not exist")
	c.MarkFlagsMutuallyExclusive("new", "if-generation")
	a.registerForce(c, "also make changes that take away rights (see above)")
	return c
}

// contents are those of the argument, or else those of stdin.
func (a *call) contents(ctx context.Context, args []string) (string, error) {
	text := ""
	if len(args) > 0 && args[0] != "-" {
		text = args[0]
	} else {
		if f, ok := a.In.(*os.File); ok && term.IsTerminal(int(f.Fd())) {
			a.Warn("the contents come from this terminal: Ctrl-D at the beginning of a line ends them")
		}
		var err error
		if text, err = readAll(ctx, io.LimitReader(a.In, maxContents+1)); err != nil {
			return "", err
		}
	}
	if len(text) > maxContents {
		return "", cli.Usage("the contents have more than %d bytes, the most that a file can hold", maxContents)
	}
	return text, nil
}

// readAll reads to the end of stdin, or of ctx: the reader blocks as long as the other program writes nothing.
func readAll(ctx context.Context, in io.Reader) (string, error) {
	type read struct {
		text []byte
		err  error
	}
	done := make(chan read, 1)
	go func() {
		text, err := io.ReadAll(in)
		done <- read{text, err}
	}()
	select {
	case <-ctx.Done():
		return "", cli.Interrupted()
	case r := <-done:
		if r.err != nil {
			return "", cli.Usage("stdin: %v", r.err)
		}
		return string(r.text), nil
	}
}

func (a *call) put(ctx context.Context, path, contents string, when uint64, fresh bool) error {
	o := client.OpenOptions{Rights: client.Write, Create: client.CreateMay, Contents: contents}
	switch {
	case fresh:
		o.Create = client.CreateMust
	case when != 0:
		o.Create, o.Contents = client.CreateNever, ""
	}
	name, err := a.fileName(path)
	if err != nil {
		return err
	}
	return a.within(ctx, func(ctx context.Context, cl *client.Client) error {
		g, p, err := a.guard(ctx, cl, name)
		if err == nil && !fresh {
			err = g.beforeWrite(ctx, p, &contents)
		}
		if err != nil {
			return err
		}
		h, err := cl.Open(ctx, name, o)
		if errors.Is(err, client.ErrIsDirectory) {
			return &client.Error{Op: "put", Key: name, Causes: []error{client.ErrIsDirectory}}
		}
		if err != nil && o.Create != client.CreateNever {
			err = withParent(err, name)
		}
		if err != nil {
			return err
		}
		s := h.StatAtOpen()
		if !h.Created() {
			s, err = h.SetContents(ctx, contents, client.ContentGen(when))
			if errors.Is(err, client.ErrConflict) {
				err = fmt.Errorf("%w, and generation %d was asked for", err, when)
			}
			if err != nil {
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
		Short: "Create a directory",
		Long: `Mkdir creates a directory with the ACL names of its parent. If the directory exists, the
exit code is 7. With -p that is no error, and missing parents are created too.

` + statHelp,
		Args: cli.One("path of a directory"),
	}
	a.register(c, func(ctx context.Context, args []string) error { return a.mkdir(ctx, args[0], parents) })
	c.Flags().BoolVarP(&parents, "parents", "p", false, "make missing parents, and accept what exists")
	return c
}

func (a *call) mkdir(ctx context.Context, path string, parents bool) error {
	name, err := a.fullName(path)
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
		if parents && errors.Is(err, client.ErrNotDirectory) { // its parents are directories
			err = &client.Error{Op: "mkdir", Key: name, Causes: []error{client.ErrExists, errors.New("as a file")}}
		}
		if err != nil {
			return withParent(err, name)
		}
		if a.isJSON() {
			return a.Document(statSchema, statOf(name, h.StatAtOpen()))
		}
		return nil
	})
}
