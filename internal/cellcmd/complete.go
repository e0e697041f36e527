package cellcmd

import (
	"context"
	"path"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/chubbycell/chubby/client"
	"github.com/chubbycell/chubby/replica/api"
)

// completeWithin is how long a shell waits for names of nodes.
const completeWithin = 2 * time.Second

// completePath lists the children of the directory that a path so far names, for the completion
// of a shell. Without an answer of the cell it lists nothing.
func (a *call) completePath(c *cobra.Command, args []string, so string) ([]string, cobra.ShellCompDirective) {
	const directive = cobra.ShellCompDirectiveNoFileComp | cobra.ShellCompDirectiveNoSpace
	switch {
	case len(args) > 0 && c.Name() == "lock":
		return nil, cobra.ShellCompDirectiveDefault // a program, and its files
	case len(args) > 0:
		return nil, cobra.ShellCompDirectiveNoFileComp
	case so == "":
		return []string{"/"}, directive
	}
	dir := path.Dir(so)
	if strings.HasSuffix(so, "/") {
		dir = path.Clean(so)
	}
	ctx := c.Context()
	if ctx == nil {
		ctx = context.Background()
	}
	a.timeout = completeWithin
	var all []string
	err := a.onNode(ctx, dir, client.OpenOptions{}, func(ctx context.Context, h *client.Handle) error {
		children, err := h.ReadDir(ctx)
		for _, child := range children {
			name := path.Join(dir, child.Name)
			if child.Stat.Kind == api.Directory {
				name += "/"
			}
			if strings.HasPrefix(name, so) {
				all = append(all, name)
			}
		}
		return err
	})
	if err != nil {
		return nil, cobra.ShellCompDirectiveError
	}
	return all, directive
}
