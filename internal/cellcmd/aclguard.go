package cellcmd

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/chubbycell/chubby/client"
	"github.com/chubbycell/chubby/internal/cli"
	"github.com/chubbycell/chubby/internal/transport/rpc/chubbyv1"
	"github.com/chubbycell/chubby/replica/api"
	"github.com/chubbycell/chubby/replica/state/acl"
)

// forceHelp explains --force. It ends the help of the commands that change rights.
const forceHelp = `A change that takes away rights on /, /acl or a file in /acl needs --force if the caller
loses a right, or, on / and /acl, if a right that all have is lost. No principal is exempt
from the ACLs: if the last one gives a right away, only a backup brings it back. This program
checks that before it writes, not the cell. It does not check other nodes that name the file.`

// registerForce adds the flag.
func (a *call) registerForce(c *cobra.Command, what string) {
	c.Flags().BoolVar(&a.forced, "force", false, what)
}

// keyNode is a node by whose ACL names the rights of a cell are changed: /, /acl, or a file in /acl.
type keyNode struct {
	path  api.Path
	names client.ACLNames
}

// isKey reports whether a path is one of a keyNode.
func isKey(p api.Path) bool { return p.IsRoot() || p == api.ACLDirectory() || isACLFile(p) }

func isACLFile(p api.Path) bool {
	dir, ok := p.Parent()
	return ok && dir == api.ACLDirectory()
}

// uses are the three rights, and the ACL name of a node for each.
func uses(n client.ACLNames) []struct {
	right string
	name  api.ACLName
} {
	return []struct {
		right string
		name  api.ACLName
	}{{"read", n.Read}, {"write", n.Write}, {"change ACL names of", n.Change}}
}

// aclGuard looks at the rights of a cell before a command changes them. What it has seen may change
// before the command is executed: it saves from mistakes, and from nothing else.
type aclGuard struct {
	cl  *client.Client
	dir string        // full name of the cell's root
	who api.Principal // that the cell takes the caller for
}

// guard is the aclGuard of a command that concerns a node with this full name; nil: there is
// nothing to look at.
func (a *call) guard(ctx context.Context, cl *client.Client, name string) (*aclGuard, api.Path, error) {
	n, err := api.ParseName(name)
	if err != nil || a.forced || !isKey(n.Path) {
		return nil, n.Path, nil // what is no name is refused by the call
	}
	g := &aclGuard{cl: cl, dir: api.Name{Cell: n.Cell}.String()}
	g.who, err = a.caller(ctx, cl)
	if err != nil {
		err = operatorError(err, fmt.Errorf("replica %d did not say who the caller is, so that rights cannot be checked before they change: %s; --force changes them anyway", cl.Status().Target, words(err)))
	}
	return g, n.Path, err
}

// caller is the principal that the cell takes the caller for.
func (a *call) caller(ctx context.Context, cl *client.Client) (who api.Principal, err error) {
	now := cl.Status()
	err = a.operate(ctx, func(ctx context.Context, o *operator) error {
		l, err := o.conns.ListSessions(ctx, now.Target, &chubbyv1.ListSessionsRequest{Session: uint64(now.Session)})
		if err == nil && len(l.GetSessions()) != 1 {
			err = errors.New("it does not list the session of this command")
		}
		if err == nil {
			who = api.Principal(l.GetSessions()[0].GetPrincipal())
		}
		return err
	})
	return who, err
}

// withCaller adds to the error of a call without a right which principal the caller is, if the cell says so.
func (a *call) withCaller(ctx context.Context, cl *client.Client, err error) error {
	if !errors.Is(err, client.ErrPermission) {
		return err
	}
	who, unknown := a.caller(ctx, cl)
	if unknown != nil {
		return err
	}
	return fmt.Errorf("%w; the principal is %q, and chubby acl PATH prints the files in /acl that the node names", err, who)
}

// stat is the metadata of a node on which the caller has a right; ok is false if it has none, or
// there is no node.
func (g *aclGuard) stat(ctx context.Context, p api.Path) (s client.Stat, ok bool, err error) {
	for _, right := range []client.Rights{client.Read, client.Write, client.ChangeACL} {
		h, err := g.cl.Open(ctx, g.full(p), client.OpenOptions{Rights: right})
		switch {
		case err == nil:
			return h.StatAtOpen(), true, nil
		case errors.Is(err, client.ErrNotFound):
			return s, false, nil
		case !errors.Is(err, client.ErrPermission):
			return s, false, err
		}
	}
	return s, false, nil
}

func (g *aclGuard) full(p api.Path) string {
	if p.IsRoot() {
		return g.dir
	}
	return g.dir + p.String()
}

// keyNodes are those on which the caller has a right.
func (g *aclGuard) keyNodes(ctx context.Context, file api.Path) (all []keyNode, err error) {
	paths := []api.Path{{}, api.ACLDirectory()}
	h, err := g.cl.Open(ctx, g.full(api.ACLDirectory()), client.OpenOptions{})
	switch {
	case errors.Is(err, client.ErrPermission):
		paths = append(paths, file)
	case err != nil:
		return nil, err
	default:
		children, err := h.ReadDir(ctx)
		if err != nil {
			return nil, err
		}
		for _, c := range children {
			if p, ok := api.ACLName(c.Name).Path(); ok {
				all = append(all, keyNode{p, c.Stat.Names})
			}
		}
	}
	var first []keyNode
	for _, p := range paths {
		s, ok, err := g.stat(ctx, p)
		if err != nil {
			return nil, err
		}
		if ok {
			first = append(first, keyNode{p, s.Names})
		}
	}
	return append(first, all...), nil
}

// file is an ACL file as far as the caller can see it.
type file struct {
	text      string
	isMissing bool // there is none, or a directory in its place
	isHidden  bool // the caller may not read it
}

func (g *aclGuard) file(ctx context.Context, p api.Path) (f file, err error) {
	h, err := g.cl.Open(ctx, g.full(p), client.OpenOptions{})
	if err == nil {
		f.text, _, err = h.Contents(ctx)
	}
	switch {
	case errors.Is(err, client.ErrNotFound), errors.Is(err, client.ErrGone), errors.Is(err, client.ErrIsDirectory):
		return file{isMissing: true}, nil
	case errors.Is(err, client.ErrPermission):
		return file{isHidden: true}, nil
	}
	return f, err
}

func (f file) lists(who api.Principal) bool { return !f.isMissing && acl.HasPrincipal(f.text, who) }

// listsAll reports whether the file has a line for every principal.
func (f file) listsAll() bool {
	return slices.Contains(strings.Split(f.text, "\n"), string(api.Everyone))
}

// beforeWrite refuses new contents of an ACL file that take rights away; nil contents: the file is
// deleted.
func (g *aclGuard) beforeWrite(ctx context.Context, p api.Path, contents *string) error {
	if g == nil || !isACLFile(p) {
		return nil
	}
	old, err := g.file(ctx, p)
	if err != nil || old.isMissing {
		return err
	}
	nodes, err := g.keyNodes(ctx, p)
	if err != nil {
		return err
	}
	next := file{isMissing: contents == nil}
	if contents != nil {
		next.text = *contents
	}
	had := old.isHidden || old.lists(g.who)
	var lost, ofAll, named []string
	for _, n := range nodes {
		for _, u := range uses(n.names) {
			if of, _ := u.name.Path(); of != p {
				continue
			}
			what := u.right + " " + n.path.String()
			if n.path != p {
				named = append(named, what)
			}
			if had && !next.lists(g.who) {
				lost = append(lost, what)
			}
			if old.listsAll() && !next.listsAll() && !isACLFile(n.path) {
				ofAll = append(ofAll, what)
			}
		}
	}
	switch {
	case len(lost) > 0:
		return g.refuse(p, lost)
	case len(ofAll) > 0:
		return cli.Usage("%s would no longer list every principal (%s), and so take rights of others: %s; --force does it anyway",
			p, api.Everyone, strings.Join(ofAll, ", "))
	case contents == nil && len(named) > 0:
		return cli.Usage("%s is in use: it says which principals may %s; --force deletes it anyway", p, strings.Join(named, ", "))
	}
	return nil
}

func (g *aclGuard) refuse(p api.Path, lost []string) error {
	return cli.Usage("%s: this would take rights of the caller, %s: %s; only another principal that has them, or a backup, brings them back; --force does it anyway",
		p, g.who, strings.Join(lost, ", "))
}

// beforeNames refuses ACL names of a keyNode that take rights of the caller away.
func (g *aclGuard) beforeNames(ctx context.Context, p api.Path, old, next client.ACLNames) error {
	if g == nil {
		return nil
	}
	var lost []string
	was, is := uses(old), uses(next)
	for i := range was {
		if was[i].name == is[i].name {
			continue
		}
		var has [2]bool
		for j, name := range []api.ACLName{was[i].name, is[i].name} {
			of, _ := name.Path()
			f, err := g.file(ctx, of)
			if err != nil {
				return err
			}
			has[j] = f.lists(g.who) || f.isHidden && j == 0
		}
		if has[0] && !has[1] {
			lost = append(lost, was[i].right+" "+p.String())
		}
	}
	if len(lost) > 0 {
		return g.refuse(p, lost)
	}
	return nil
}

// checkNames refuses names of files that do not exist: then no principal has the right.
func (a *call) checkNames(ctx context.Context, cl *client.Client, name string, given []givenName) error {
	n, err := api.ParseName(name)
	if err != nil || a.forced {
		return nil // what is no name is refused by the call
	}
	g := aclGuard{cl: cl, dir: api.Name{Cell: n.Cell}.String()}
	for _, x := range given {
		p, _ := api.ACLName(x.value).Path()
		f, err := g.file(ctx, p)
		if err != nil {
			return err
		}
		if !f.isMissing {
			continue
		}
		hint := ""
		if x.value == string(api.Everyone) {
			hint = fmt.Sprintf(" (a file with the line %s lists every principal: everybody in a new cell)", x.value)
		}
		return cli.Usage("--%s %s: there is no file %s, and without it no principal has the right: put it first%s; --force sets the name anyway", x.flag, x.value, p, hint)
	}
	return nil
}

// givenName is an ACL name of the command line.
type givenName struct{ flag, value string }

func (n givenName) check() error {
	if api.CheckComponent(n.value) == api.OK {
		return nil
	}
	return cli.Usage("--%s %q: an ACL name is the name of a file in /acl, without the directory, such as everybody", n.flag, n.value)
}
