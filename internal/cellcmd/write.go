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
	"github.com/chubbycell/chubby/replica/api"
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
			return a.JSON(statOf(name, h.StatAtOpen()))
		}
		return nil
	})
}

func rmCommand() *cobra.Command {
	a, all := &call{}, false
	c := &cobra.Command{
		Use:   "rm PATH",
		Short: "Delete a file or an empty directory",
		Long: `Rm deletes a file, or a directory without children. Handles that have it open become
invalid. The root of the cell and /acl cannot be deleted. Deleting a file in /acl that /, /acl
or another file there names needs --force.

Rm first acquires the lock of what it deletes: if another client holds it, the exit code is 7.
With --force it deletes a node whose lock is held, too. The holder hears of it, but its work
may go on for a moment (chubby lock gives its command up to a fifth of the lock-delay), while
the lock of a new file of that name is free at once.

With -r it deletes a directory and everything below it, children first, without asking. At the
first node that it cannot delete it ends, and says how many are gone; the others are still in
the tree. --timeout then bounds each deletion. With -r it refuses /, /acl and files in /acl.

` + forceHelp + `

With -o json it prints one object: name, deleted (number of nodes that are gone). If rm -r
fails or is interrupted after it has deleted some, it prints the object, too.`,
		Args: cli.One("path of a node"),
	}
	a.register(c, func(ctx context.Context, args []string) error {
		if all {
			return a.rmAll(ctx, args[0])
		}
		return a.rm(ctx, args[0])
	})
	c.Flags().BoolVarP(&all, "recursive", "r", false, "delete a directory with all below it")
	a.registerForce(c, "also delete what is locked, and make changes that take away rights (see above)")
	return c
}

// rmAll deletes a node and all below it.
func (a *call) rmAll(ctx context.Context, path string) error {
	name, err := a.fullName(path)
	if err != nil {
		return err
	}
	if n, err := api.ParseName(name); err == nil && isKey(n.Path) {
		return cli.Usage("%s: -r deletes neither the root nor /acl, nor what is in /acl: name the file without -r", n.Path)
	}
	cl, done, err := a.connect(ctx)
	if err != nil {
		return err
	}
	defer done()
	if slashed(path) {
		if err := a.isDirectory(ctx, cl, path, name); err != nil {
			return err
		}
	}
	gone := 0
	failed := a.withCaller(ctx, cl, a.rmBelow(ctx, cl, name, true, &gone))
	if failed != nil && gone == 0 {
		return failed
	}
	if err := a.tellGone(name, gone); err != nil {
		return err
	}
	rest := fmt.Sprintf("nodes deleted: %d; the rest of %s remains", gone, name)
	switch {
	case failed == nil:
		return nil
	case ctx.Err() != nil:
		return &cli.Failure{Code: cli.ExitInterrupted, Err: errors.New("interrupted: " + rest)}
	}
	return fmt.Errorf("%w; %s", failed, rest)
}

// tellGone says what rm has deleted, to programs: people know.
func (a *call) tellGone(name string, nodes int) error {
	if !a.isJSON() {
		return nil
	}
	return a.JSON(struct {
		Name    string `json:"name"`
		Deleted int    `json:"deleted"`
	}{name, nodes})
}

// isDirectory refuses a file that the user calls a directory.
func (a *call) isDirectory(ctx context.Context, cl *client.Client, path, name string) error {
	ctx, cancel := context.WithTimeout(ctx, a.timeout)
	defer cancel()
	h, err := cl.Open(ctx, name, client.OpenOptions{})
	if err != nil {
		return err
	}
	return errors.Join(isAsNamed(path, h), h.Close(ctx))
}

// rmBelow deletes a node, after its children, and counts. mayList: it may be a directory.
func (a *call) rmBelow(ctx context.Context, cl *client.Client, name string, mayList bool, gone *int) error {
	if mayList {
		children, err := a.childrenOf(ctx, cl, name)
		if err != nil {
			return err
		}
		for _, c := range children {
			if err := a.rmBelow(ctx, cl, name+"/"+c.Name, c.Stat.Kind == api.Directory, gone); err != nil {
				return err
			}
		}
	}
	ctx, cancel := context.WithTimeout(ctx, a.timeout)
	defer cancel()
	h, err := cl.Open(ctx, name, client.OpenOptions{Rights: client.Write})
	if err != nil {
		return err
	}
	if err := a.deleteUnlocked(ctx, h); err != nil {
		return err
	}
	*gone++
	return h.Close(ctx) // a session has few handles
}

// deleteUnlocked deletes a node while it holds the node's lock, so that no other client does. With --force
// it does not ask.
func (a *call) deleteUnlocked(ctx context.Context, h *client.Handle) error {
	if !a.forced {
		_, err := h.TryAcquire(ctx, client.Exclusive)
		switch {
		case errors.Is(err, client.ErrLockHeld):
			return fmt.Errorf("%w: its holder relies on it; --force deletes it all the same", err)
		case errors.Is(err, client.ErrLockDelayed):
			return fmt.Errorf("%w: the work of a lost holder may still go on; try again later, or with --force", err)
		case err != nil:
			return err
		}
	}
	return h.Delete(ctx)
}

// childrenOf are those of a directory; none of a file.
func (a *call) childrenOf(ctx context.Context, cl *client.Client, name string) ([]client.Child, error) {
	ctx, cancel := context.WithTimeout(ctx, a.timeout)
	defer cancel()
	h, err := cl.Open(ctx, name, client.OpenOptions{})
	if err != nil {
		return nil, err
	}
	var children []client.Child
	if h.StatAtOpen().Kind == api.Directory {
		children, err = h.ReadDir(ctx)
	}
	return children, errors.Join(err, h.Close(ctx))
}

func (a *call) rm(ctx context.Context, path string) error {
	name, err := a.fullName(path)
	if err != nil {
		return err
	}
	if n, err := api.ParseName(name); err == nil && (n.Path.IsRoot() || n.Path == api.ACLDirectory()) {
		return cli.Usage("%s cannot be deleted: the root and /acl stay as long as the cell", n.Path)
	}
	return a.within(ctx, func(ctx context.Context, cl *client.Client) error {
		g, p, err := a.guard(ctx, cl, name)
		if err == nil {
			err = g.beforeWrite(ctx, p, nil)
		}
		if err != nil {
			return err
		}
		h, err := cl.Open(ctx, name, client.OpenOptions{Rights: client.Write})
		if err == nil {
			err = isAsNamed(path, h)
		}
		if err == nil {
			err = a.deleteUnlocked(ctx, h)
		}
		if err != nil {
			return err
		}
		return a.tellGone(name, 1)
	})
}

func aclCommand() *cobra.Command {
	a := &call{}
	var given [3]string
	flags := [3]string{"read", "write", "change"}
	c := &cobra.Command{
		Use:   "acl PATH",
		Short: "Print or change the ACL names of a node",
		Long: `Acl prints the three ACL names of a node, or changes those given by flags. Each name is
that of a file in the directory /acl of the cell. Its lines are the principals that may read
the node, write it, or change its ACL names; a line '*' means everybody. A file that does not
exist lists no principal, and its name needs --force. A change needs only the right to change
ACL names.

If another change came in between, nothing is changed and the exit code is 7.

` + forceHelp + `

` + statHelp,
		Args: cli.One("path of a node"),
	}
	a.register(c, func(ctx context.Context, args []string) error {
		var set []givenName
		for i, flag := range flags {
			if c.Flags().Changed(flag) {
				set = append(set, givenName{flag, given[i]})
			}
		}
		for _, n := range set {
			if err := n.check(); err != nil {
				return err
			}
		}
		names := client.ACLNames{Read: api.ACLName(given[0]), Write: api.ACLName(given[1]), Change: api.ACLName(given[2])}
		if len(set) == 0 {
			return a.printNames(ctx, args[0])
		}
		return a.setNames(ctx, args[0], names, set)
	})
	for i, what := range []string{"reading", "writing", "changing ACL names"} {
		c.Flags().StringVar(&given[i], flags[i], "", "set the ACL name for "+what)
	}
	a.registerForce(c, "also make changes that take away rights (see above)")
	return c
}

// printNames prints the ACL names of a node, which any right on it shows.
func (a *call) printNames(ctx context.Context, path string) error {
	name, err := a.fullName(path)
	if err != nil {
		return err
	}
	return a.within(ctx, func(ctx context.Context, cl *client.Client) error {
		h, err := cl.Open(ctx, name, client.OpenOptions{})
		if errors.Is(err, client.ErrPermission) {
			if other, failed := cl.Open(ctx, name, client.OpenOptions{Rights: client.ChangeACL}); failed == nil {
				h, err = other, nil
			}
		}
		if err == nil {
			err = isAsNamed(path, h)
		}
		if err != nil {
			return err
		}
		return a.tellNames(name, h.StatAtOpen())
	})
}

func (a *call) setNames(ctx context.Context, path string, set client.ACLNames, given []givenName) error {
	name, err := a.fullName(path)
	if err != nil {
		return err
	}
	return a.within(ctx, func(ctx context.Context, cl *client.Client) error {
		h, err := cl.Open(ctx, name, client.OpenOptions{Rights: client.ChangeACL})
		if err == nil {
			err = isAsNamed(path, h)
		}
		if err != nil {
			return err
		}
		s := h.StatAtOpen()
		next := set.Or(s.Names)
		if err := a.checkNames(ctx, cl, name, given); err != nil {
			return err
		}
		g, p, err := a.guard(ctx, cl, name)
		if err == nil {
			err = g.beforeNames(ctx, p, s.Names, next)
		}
		if err != nil {
			return err
		}
		if s, err = h.SetACL(ctx, next, s.ACL); err != nil {
			return err
		}
		return a.tellNames(name, s)
	})
}

func (a *call) tellNames(name string, s client.Stat) error {
	if a.isJSON() {
		return a.JSON(statOf(name, s))
	}
	return a.Printf("read %s\nwrite %s\nchange %s\n", s.Names.Read, s.Names.Write, s.Names.Change)
}
