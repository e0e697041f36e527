package cellcmd

import (
	"context"
	"errors"

	"github.com/spf13/cobra"

	"github.com/chubbycell/chubby/client"
	"github.com/chubbycell/chubby/internal/cli"
	"github.com/chubbycell/chubby/replica/api"
)

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
		return a.Document(statSchema, statOf(name, s))
	}
	return a.Printf("read %s\nwrite %s\nchange %s\n", s.Names.Read, s.Names.Write, s.Names.Change)
}
