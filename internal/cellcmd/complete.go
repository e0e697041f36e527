package cellcmd

import (
	"context"
	"io"
	"path"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/chubbycell/chubby/client"
	"github.com/chubbycell/chubby/internal/cli"
	"github.com/chubbycell/chubby/internal/transport/rpc/chubbyv1"
	"github.com/chubbycell/chubby/replica/api"
)

// completeWithin is how long a shell waits for names of nodes.
const completeWithin = 2 * time.Second

// completeList completes the last of some values between commas.
func completeList(values []string) cobra.CompletionFunc {
	return func(_ *cobra.Command, _ []string, so string) ([]string, cobra.ShellCompDirective) {
		before := so[:strings.LastIndexByte(so, ',')+1]
		given := strings.Split(before, ",")
		var all []string
		for _, v := range values {
			if !slices.Contains(given, v) && strings.HasPrefix(before+v, so) {
				all = append(all, before+v)
			}
		}
		return all, cobra.ShellCompDirectiveNoFileComp | cobra.ShellCompDirectiveNoSpace
	}
}

// completeLimit lists the limits that are not given yet.
func completeLimit(_ *cobra.Command, args []string, so string) (all []string, _ cobra.ShellCompDirective) {
	for _, name := range strings.Split(limitNames, ", ") {
		isGiven := slices.ContainsFunc(args, func(arg string) bool { return strings.HasPrefix(arg, name+"=") })
		if !isGiven && strings.HasPrefix(name+"=", so) {
			all = append(all, name+"=")
		}
	}
	return all, cobra.ShellCompDirectiveNoFileComp | cobra.ShellCompDirectiveNoSpace
}

// mostSessions is how many sessions a shell is offered.
const mostSessions = 100

// completeSession lists sessions by id, with their principals: for the first argument, and of end for each. Without an
// answer of the cell it lists nothing.
func (a *call) completeSession(c *cobra.Command, args []string, so string) (all []string, _ cobra.ShellCompDirective) {
	if len(args) > 0 && c.Name() != "end" {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	ctx := c.Context()
	if ctx == nil {
		ctx = context.Background()
	}
	a.timeout = completeWithin
	a.Streams = cli.Streams{Err: io.Discard}
	err := a.operate(ctx, func(ctx context.Context, o *operator) error {
		id, err := a.sessionSource(ctx, o)
		if err != nil {
			return err
		}
		_, err = a.sessions(ctx, o, id, func(s *chubbyv1.SessionDescription) bool {
			if id := strconv.FormatUint(s.GetId(), 10); strings.HasPrefix(id, so) && !slices.Contains(args, id) {
				all = append(all, cobra.CompletionWithDesc(id, s.GetPrincipal()))
			}
			return len(all) < mostSessions
		})
		return err
	})
	if err != nil {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	return all, cobra.ShellCompDirectiveNoFileComp
}

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
	a.Streams = cli.Streams{Err: io.Discard}
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
