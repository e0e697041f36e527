package cellcmd

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"github.com/chubbycell/chubby/client"
	"github.com/chubbycell/chubby/internal/cli"
	"github.com/chubbycell/chubby/replica/api"
)

// removed is what rm prints with -o json; the help says so.
type removed struct {
	Name    string `json:"name"`    // the full name that was given
	Deleted int    `json:"deleted"` // nodes that are gone
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
the tree. What disappears meanwhile, as ephemeral nodes do, counts as deleted. --timeout then
bounds each deletion. With -r it refuses /, /acl and files in /acl. If it takes long, it says on
stderr every 5 s how many are gone.

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
	d := deletion{say: func(gone int) { a.Say("nodes deleted so far: %d", gone) }, told: time.Now()}
	failed := a.rmBelow(ctx, cl, name, true, &d)
	if isGone(failed) && d.gone > 0 {
		failed = nil
		d.gone++
	}
	gone := d.gone
	failed = a.withCaller(ctx, cl, failed)
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
	return a.Document(rmSchema, removed{name, nodes})
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

// deletion counts what rm -r has deleted, and says so now and then.
type deletion struct {
	gone int
	say  func(gone int)
	told time.Time // when it began, or said so last
}

// sayEvery is how long rm -r is silent.
const sayEvery = 5 * time.Second

func (d *deletion) add(now time.Time) {
	d.gone++
	if now.Sub(d.told) >= sayEvery {
		d.told = now
		d.say(d.gone)
	}
}

// rmBelow deletes a node, after its children, and counts. mayList: it may be a directory.
func (a *call) rmBelow(ctx context.Context, cl *client.Client, name string, mayList bool, d *deletion) error {
	if mayList {
		children, err := a.childrenOf(ctx, cl, name)
		if err != nil {
			return err
		}
		for _, c := range children {
			err := a.rmBelow(ctx, cl, name+"/"+c.Name, c.Stat.Kind == api.Directory, d)
			switch {
			case isGone(err):
				d.add(time.Now())
			case err != nil:
				return err
			}
		}
	}
	err := a.rmListed(ctx, cl, name)
	if err == nil {
		d.add(time.Now())
	}
	return err
}

// isGone reports whether a node that was there is no more: an ephemeral directory without children goes by itself, an
// ephemeral file with its session, and another client may be faster.
func isGone(err error) bool {
	return errors.Is(err, client.ErrNotFound) || errors.Is(err, client.ErrGone)
}

// rmListed deletes a node that has no children.
func (a *call) rmListed(ctx context.Context, cl *client.Client, name string) error {
	ctx, cancel := context.WithTimeout(ctx, a.timeout)
	defer cancel()
	h, err := cl.Open(ctx, name, client.OpenOptions{Rights: client.Write})
	if err != nil {
		return err
	}
	if err = a.deleteUnlocked(ctx, h); err != nil && !isGone(err) {
		return err
	}
	return errors.Join(err, h.Close(ctx)) // a session has few handles
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
