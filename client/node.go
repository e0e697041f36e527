package client

import (
	"context"
	"iter"

	"github.com/chubbycell/chubby/replica/api"
)

// Contents returns the contents of the file and its metadata, as they were at one instant. It
// fails with ErrIsDirectory.
func (h *Handle) Contents(ctx context.Context) (string, Stat, error) {
	r, err := h.call(ctx, "contents", func(t api.Token) api.Op { return api.GetContents{Handle: t} })
	return r.Value, statOf(r), err
}

// Stat returns the present metadata of the node.
func (h *Handle) Stat(ctx context.Context) (Stat, error) {
	r, err := h.call(ctx, "stat", func(t api.Token) api.Op { return api.GetStat{Handle: t} })
	return statOf(r), err
}

// ReadDir returns the children of the directory in ascending order of their names. A large
// directory is read in several calls, so the result need not have existed as a whole at any
// instant. It fails with ErrNotDirectory.
func (h *Handle) ReadDir(ctx context.Context) ([]Child, error) {
	var all []Child
	for c, err := range h.Children(ctx, 0) {
		if err != nil {
			return nil, err
		}
		all = append(all, c)
	}
	return all, nil
}

// Children iterates over the children of the directory in ascending order of their names. It
// reads up to page children in each call, or as many as an answer can hold if page is not
// positive, and makes the next call when these have been consumed. The children of one page
// existed at one instant. An error ends the iteration: it comes last, with the zero Child. A
// file yields ErrNotDirectory.
func (h *Handle) Children(ctx context.Context, page int) iter.Seq2[Child, error] {
	return func(yield func(Child, error) bool) {
		after, most := "", uint64(max(page, 0))
		for more := true; more; {
			r, err := h.call(ctx, "read-dir", func(t api.Token) api.Op { return api.ReadDir{Handle: t, After: after, Most: most} })
			if err != nil {
				yield(Child{}, err)
				return
			}
			l, _ := r.Detail.(api.Listing)
			for _, c := range l.Children {
				if !yield(c, nil) {
					return
				}
				after = c.Name
			}
			more = l.More && len(l.Children) > 0
		}
	}
}

// SetContents replaces the contents of the file and returns its new metadata. If when is not 0,
// it must equal the generation of the present contents; otherwise SetContents fails with
// ErrConflict, and the error is a *ConflictError (errors.As) with the present metadata. It
// fails with ErrIsDirectory, ErrQuota and ErrTooLarge.
func (h *Handle) SetContents(ctx context.Context, contents string, when ContentGen) (Stat, error) {
	r, err := h.call(ctx, "set-contents", func(t api.Token) api.Op {
		return api.SetContents{Handle: t, Contents: contents, When: when}
	})
	return statOf(r), err
}

// SetACL replaces the ACL names of the node and returns its new metadata. The condition when
// works as for SetContents.
func (h *Handle) SetACL(ctx context.Context, names ACLNames, when ACLGen) (Stat, error) {
	r, err := h.call(ctx, "set-acl", func(t api.Token) api.Op {
		return api.SetACL{Handle: t, Names: names, When: when}
	})
	return statOf(r), err
}

// Delete deletes the node. It fails with ErrNotEmpty if the node is a directory with children.
// All later calls on the handle fail with ErrGone, except Close, which is still needed.
func (h *Handle) Delete(ctx context.Context) error {
	_, err := h.call(ctx, "delete", func(t api.Token) api.Op { return api.DeleteNode{Handle: t} })
	return err
}

func statOf(r api.Result) Stat {
	s, _ := r.Detail.(api.NodeStat)
	return s.Stat
}
