package client

import (
	"context"
	"strings"
	"time"

	"github.com/chubbycell/chubby/replica/api"
)

// OpenOptions say what a handle is used for, and how to create the node if it does not exist.
// The zero value opens an existing node to read it.
type OpenOptions struct {
	Rights Rights   // the intended use; 0: Read
	Create Creation // what to do if the node does not exist

	Directory bool     // create a directory instead of a file
	Ephemeral bool     // delete the node when no client has it open any more
	Contents  string   // of a created file
	ACL       ACLNames // of a created node; empty names are copied from the parent directory

	// LockDelay is how long the cell keeps the lock from others after this handle lost it
	// because its client crashed or could not be reached (CHU §2.4); at most a minute. It
	// protects resources that check no sequencers.
	LockDelay time.Duration

	// Events are the events that Handle.Events of this handle is to have (C9.01). 0: none.
	Events EventMask
}

// op returns the request. path is relative to the node of dir, or to the root if dir is empty.
func (o OpenOptions) op(dir api.Token, path string) api.Open {
	q := api.Open{Dir: dir, Path: path, Rights: o.Rights, Create: o.Create, Delay: api.DelayOf(o.LockDelay), Events: o.Events}
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

// Open opens the node with this full name, /ls/CELL/PATH, and creates it first if o says so. It
// blocks until the cell has answered. It fails with ErrNotFound, ErrExists, ErrPermission,
// ErrNotDirectory or ErrQuota; with ErrCrowded, possibly together with ErrOutcomeUnknown; and
// with ErrInvalid for a malformed name or an unknown cell. If ctx ends first, a handle that is
// opened nevertheless is closed in the background.
func (c *Client) Open(ctx context.Context, name string, o OpenOptions) (*Handle, error) {
	if c.configErr != nil {
		return nil, c.configError("open", name)
	}
	own, path, err := c.find(name)
	if err != nil {
		return nil, &Error{Op: "open", Key: name, Causes: []error{ErrInvalid, err}}
	}
	r, w, err := own.callOpen(ctx, "open", name, o.op("", strings.TrimPrefix(path.String(), "/")))
	if err != nil {
		return nil, err
	}
	return newHandle(own, name, r, w), nil
}

// Open opens a node by its path relative to the handle's node: "a/b", or "" for the node itself
// (C2.10). Otherwise it is like Client.Open.
func (h *Handle) Open(ctx context.Context, path string, o OpenOptions) (*Handle, error) {
	name := h.name
	if path != "" {
		name += "/" + path
	}
	r, w, err := h.callOpen(ctx, name, func(t api.Token) api.Op { return o.op(t, path) })
	if err != nil {
		return nil, err
	}
	return newHandle(h.c, name, r, w), nil
}

func newHandle(c *conn, name string, r api.Result, w *watch) *Handle {
	o, _ := r.Detail.(api.Opened) // package session accepts no other answer
	return &Handle{c: c, name: name, token: o.Token, node: o.Node, stat: o.Stat, created: o.Created, watch: w}
}
