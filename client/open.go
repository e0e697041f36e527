package client

import (
	"context"
	"strings"
	"time"

	"github.com/chubbycell/chubby/replica/api"
)

// OpenOptions say what a handle is for, and what node is made if it is made. The
// zero value opens a node that is there, to read it.
type OpenOptions struct {
	Rights Rights   // what the handle will be used for; 0: Read
	Create Creation // what to do if the node may not be there

	Directory bool     // the node that is made is a directory; else a file
	Ephemeral bool     // it goes when nobody has it open any more
	Contents  string   // of the file
	ACL       ACLNames // what is empty is copied from the parent directory

	// LockDelay is for how long nobody else may have the lock after this handle's
	// holder was lost, by crash or network (CHU §2.4); at most a minute. It is what
	// keeps apart those who do not check sequencers.
	LockDelay time.Duration
}

// op is what is asked of the cell. Path is relative to the node of dir, or to the
// root.
func (o OpenOptions) op(dir api.Token, path string) api.Open {
	q := api.Open{Dir: dir, Path: path, Rights: o.Rights, Create: o.Create, Delay: api.DelayOf(o.LockDelay)}
	if q.Rights == 0 {
		q.Rights = Read
	}
	if q.Create != CreateNever {
		q.Kind, q.Ephemeral, q.Contents, q.Names = api.File, o.Ephemeral, o.Contents, o.ACL
		if o.Directory {
			q.Kind = api.Directory
		}
	}
	return q
}

// Open opens the node with this full name, /ls/CELL/PATH. It fails with
// ErrNotFound, ErrExists, ErrPermission, ErrNotDirectory, ErrQuota or ErrCrowded, which
// may come with ErrOutcomeUnknown. A handle that was opened while its caller's context
// ended is closed again.
func (c *Client) Open(ctx context.Context, name string, o OpenOptions) (*Handle, error) {
	if c.fault != nil {
		return nil, c.misconfigured("open", name)
	}
	own, path, err := c.find(name)
	if err != nil {
		return nil, &Error{Op: "open", Key: name, Causes: []error{ErrInvalid, err}}
	}
	r, err := own.call(ctx, "open", name, o.op("", strings.TrimPrefix(path.String(), "/")))
	if err != nil {
		return nil, err
	}
	return newHandle(own, name, r), nil
}

// Open opens a node by a name relative to the handle's node: "a/b", or "" for the
// node itself (C2.10).
func (h *Handle) Open(ctx context.Context, path string, o OpenOptions) (*Handle, error) {
	name := h.name
	if path != "" {
		name += "/" + path
	}
	r, err := h.callThen(ctx, "open", func(t api.Token) api.Op { return o.op(t, path) }, h.c.counted)
	if err != nil {
		return nil, err
	}
	return newHandle(h.c, name, r), nil
}

func newHandle(c *conn, name string, r api.Result) *Handle {
	o, _ := r.Detail.(api.Opened) // the session has seen to it
	return &Handle{c: c, name: name, token: o.Token, node: o.Node, stat: o.Stat, created: o.Created}
}
