package client

import (
	"context"
	"fmt"
	"iter"

	"github.com/chubbycell/chubby/replica/api"
)

// Contents returns the contents of the file and its metadata, as they were at one instant of the
// call. It may answer from the cache; its metadata are those of Stat. It fails with ErrIsDirectory.
func (h *Handle) Contents(ctx context.Context) (string, Stat, error) {
	if text, s, hit := h.cachedContents(ctx); hit {
		return text, s, nil
	}
	r, err := h.call(ctx, "contents", func(t api.Token) api.Op { return api.GetContents{Handle: t} })
	return r.Value, h.c.withoutLock(ctx, statOf(r)), err
}

// Stat returns the present metadata of the node. It may answer from the cache. Lock is 0, since
// caches are not told when a lock changes hands. With Uncached, or with the cache off, Lock is the
// lock's generation.
func (h *Handle) Stat(ctx context.Context) (Stat, error) {
	if s, hit := h.cachedStat(ctx); hit {
		return s, nil
	}
	r, err := h.call(ctx, "stat", func(t api.Token) api.Op { return api.GetStat{Handle: t} })
	return h.c.withoutLock(ctx, statOf(r)), err
}

// Names returns the names of the directory's children in ascending order. It may answer from the
// cache if the names fit in one answer of the cell. Otherwise it reads them in several calls, and
// the names need not all have existed at one instant. It fails with ErrNotDirectory.
func (h *Handle) Names(ctx context.Context) ([]string, error) {
	if names, hit := h.cachedNames(ctx); hit {
		return names, nil
	}
	r, err := h.call(ctx, "names", func(t api.Token) api.Op { return api.ReadDir{Handle: t} })
	l, _ := r.Detail.(api.Listing)
	names := namesOf(l.Children)
	if err != nil || !l.More || len(names) == 0 {
		return names, err
	}
	for c, err := range h.children(ctx, names[len(names)-1], 0) {
		if err != nil {
			return nil, err
		}
		names = append(names, c.Name)
	}
	return names, nil
}

func namesOf(all []Child) []string {
	names := make([]string, 0, len(all))
	for _, c := range all {
		names = append(names, c.Name)
	}
	return names
}

// ReadDir returns the children of the directory in ascending order of their names. It reads a large
// directory in several calls, so the result need not have existed as a whole at any instant. Unlike
// Names, it always asks the cell. It fails with ErrNotDirectory.
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

// Children iterates over the children of the directory in ascending order of their names. Each call
// to the cell reads up to page children, or as many as an answer can hold if page is not positive;
// the next call follows when these have been consumed. The children of one page existed at one
// instant. An error ends the iteration: it comes last, with the zero Child. A file yields
// ErrNotDirectory.
func (h *Handle) Children(ctx context.Context, page int) iter.Seq2[Child, error] {
	return h.children(ctx, "", page)
}

// children iterates over the children that come after a name.
func (h *Handle) children(ctx context.Context, after string, page int) iter.Seq2[Child, error] {
	return func(yield func(Child, error) bool) {
		after, most, ctx := after, uint64(max(page, 0)), Uncached(ctx)
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

// SetContents replaces the contents of the file and returns its new metadata. If when is not 0, it
// must equal the generation of the present contents; otherwise SetContents fails with ErrConflict,
// and the error is a *ConflictError (errors.As) with the present metadata. It also fails with
// ErrIsDirectory, ErrQuota and ErrTooLarge.
func (h *Handle) SetContents(ctx context.Context, contents string, when ContentGen) (Stat, error) {
	r, err := h.call(ctx, "set-contents", func(t api.Token) api.Op {
		return api.SetContents{Handle: t, Contents: contents, When: when}
	})
	return statOf(r), err
}

// SetACL replaces the three ACL names of the node and returns its new metadata. None may be empty,
// because there is no parent to copy it from: to keep a name, pass it again as Stat returned it.
// The condition when works as for SetContents.
func (h *Handle) SetACL(ctx context.Context, names ACLNames, when ACLGen) (Stat, error) {
	r, err := h.call(ctx, "set-acl", func(t api.Token) api.Op {
		return api.SetACL{Handle: t, Names: names, When: when}
	})
	return statOf(r), err
}

// Delete deletes the node. The handle needs the right Write (C5.05): without it Delete fails with
// ErrPermission. Delete fails with ErrNotEmpty if the node is a directory with children, and with
// ErrInvalid for the root of a cell and its directory /acl. All later calls on the handle fail with
// ErrGone, except Close, which is still needed. The locks of the node are lost first: Delete blocks
// until each client that holds one knows that, or the lease of its session has ended.
func (h *Handle) Delete(ctx context.Context) error {
	_, err := h.call(ctx, "delete", func(t api.Token) api.Op { return api.DeleteNode{Handle: t} })
	if p := h.node.Path; p.IsRoot() || p == api.ACLDirectory() {
		err = withReason(err, ErrInvalid, errCannotGo)
	}
	return err
}

var errCannotGo = fmt.Errorf("the root of a cell and %v cannot be deleted", api.ACLDirectory())

func statOf(r api.Result) Stat {
	s, _ := r.Detail.(api.NodeStat)
	return s.Stat
}
