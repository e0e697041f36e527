package client

import (
	"context"
	"errors"
	"strings"
	"time"

	"github.com/chubbycell/chubby/replica/api"
)

// OpenOptions say what a handle is for, and how to create the node if it does not exist. The zero
// value opens an existing node to read it.
type OpenOptions struct {
	Rights Rights   // the intended use: Read, Write and ChangeACL, joined by |; none includes another; 0: Read
	Create Creation // what to do if the node does not exist

	// The next four apply to a node that Open creates, and mean nothing with CreateNever. With CreateMay an
	// existing node stays as it is: see Handle.Created and Handle.StatAtOpen. Open with Directory then fails with
	// ErrNotDirectory on a file, and with Contents it fails with ErrIsDirectory on a directory. With Ephemeral,
	// Open also opens a permanent node, which stays permanent; CreateMust opens only what it created.
	Directory bool     // create a directory instead of a file
	Ephemeral bool     // delete the node when no client has it open any longer and no LockDelay runs
	Contents  string   // of a created file
	ACL       ACLNames // of a created node; empty names are copied from the parent directory

	// LockDelay is for how long the cell keeps the lock from others after this handle lost it
	// because its client crashed or could not be reached (CHU §2.4). It protects resources that
	// check no sequencers. 0: others may have the lock as soon as the session is over. An ephemeral
	// node stays as long; Handle.Delete ends the delay, since a new node has a lock of its own. A value
	// below 0 or above one minute is invalid; fractions of a millisecond are rounded up.
	LockDelay time.Duration

	// Events are the kinds of events that Handle.Events returns (C9.01). 0: none. A program that waits for other
	// kinds should ask for WantInvalid too; without it, the handle does not report that the node was deleted.
	Events EventMask

	// KeepLock is for how long Lock.Release keeps the lock at the cell, in case this handle
	// acquires it again. That Acquire then costs no message, and is the same acquisition with the
	// same sequencer. The Client gives the lock up earlier if another handle asks for it in a
	// conflicting mode, or if the cell has a new master. An Acquire by another handle therefore
	// waits a moment longer, and a TryAcquire fails with ErrLockHeld once. A request that was sent
	// to a resource before Release, and is still on its way, has the same sequencer as later
	// requests: use Lock.GiveUp if its outcome is unknown. A handle with a sequencer attached keeps
	// no lock (SetSequencer). 0: Release frees the lock. There is no maximum, because a kept lock is
	// given up on demand. A value below 0 is invalid.
	KeepLock time.Duration
}

// op returns the request. path is relative to the node of dir, or to the root if dir is empty.
func (o OpenOptions) op(dir api.Token, path string) api.Open {
	q := api.Open{Dir: dir, Path: path, Rights: o.Rights, Create: o.Create, Delay: api.DelayOf(o.LockDelay), Events: o.Events}
	if o.KeepLock > 0 {
		q.Events |= WantLockWanted | WantInvalid
	}
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

// Open opens the node with this full name, /ls/CELL/PATH, and creates it first if o says so. It blocks
// until the cell has answered. A path has at most 1,024 bytes, and 32 components of 255 bytes. Open fails
// with ErrNotFound, ErrExists, ErrPermission, ErrNotDirectory, ErrIsDirectory, ErrTooLarge or ErrQuota; with
// ErrCrowded, possibly together with ErrOutcomeUnknown; and with ErrInvalid for a malformed name, an unknown
// cell or a wrong option. If ctx ends first and the cell still opens the handle, the Client closes it in the
// background.
func (c *Client) Open(ctx context.Context, name string, o OpenOptions) (*Handle, error) {
	if c.configErr != nil {
		return nil, c.configError("open", name)
	}
	own, path, err := c.find(name)
	if err != nil {
		return nil, &Error{Op: "open", Key: name, Causes: []error{ErrInvalid, err}}
	}
	if err := o.check(); err != nil {
		return nil, &Error{Op: "open", Key: name, Causes: []error{ErrInvalid, err}}
	}
	op := o.op("", strings.TrimPrefix(path.String(), "/"))
	if h, err := own.openCached(ctx, nil, name, path, op); h != nil || err != nil {
		return o.match(h, err)
	}
	w, err := own.callOn(ctx, "open", name, op, api.Ref{Path: path}, o.Events)
	if err != nil {
		return nil, err
	}
	return o.match(newHandle(ctx, own, name, w, op, o), nil)
}

// Open opens a node by its path relative to the handle's node: "a/b", or "" for the node itself
// (C2.10). Otherwise it is like Client.Open. Its errors name the node to be opened, unless the
// handle itself is unusable.
func (h *Handle) Open(ctx context.Context, path string, o OpenOptions) (*Handle, error) {
	name, of, bad := h.name, h.node.Path, error(nil)
	if path != "" {
		name += "/" + path
		of, bad = of.Join(path)
	}
	if err := o.check(); err != nil {
		return nil, &Error{Op: "open", Key: name, Causes: []error{ErrInvalid, err}}
	}
	op := o.op("", path)
	if bad == nil { // else the call is refused
		if cached, err := h.c.openCached(ctx, h, name, of, op); cached != nil || err != nil {
			return o.match(cached, err)
		}
	}
	w, err := h.callOpen(ctx, name, of, op, o.Events)
	if err != nil {
		if _, alone := (api.Path{}).Join(path); alone == nil { // else the error says what is wrong with path itself
			err = withReason(err, ErrInvalid, bad)
		}
		return nil, err
	}
	return o.match(newHandle(ctx, h.c, name, w, op, o), nil)
}

// match returns the handle if its node is of the kind that the options require. Otherwise it closes
// the handle in the background and fails.
func (o OpenOptions) match(h *Handle, err error) (*Handle, error) {
	if err != nil || o.Create == CreateNever {
		return h, err
	}
	var causes []error
	switch {
	case o.Directory && h.stat.Kind == api.File:
		causes = []error{ErrNotDirectory, errors.New("option Directory is set, and a file of this name is there")}
	case o.Contents != "" && h.stat.Kind == api.Directory:
		causes = []error{ErrIsDirectory, errors.New("option Contents is set, and a directory of this name is there")}
	default:
		return h, nil
	}
	ended, cancel := context.WithCancel(context.Background())
	cancel()
	_ = h.Close(ended) // does not wait; continues in the background
	return nil, &Error{Op: "open", Key: h.name, Causes: causes}
}

func newHandle(ctx context.Context, c *conn, name string, w *call, op api.Open, o OpenOptions) *Handle {
	d, _ := w.done.Result.Detail.(api.Opened) // package session accepts no other answer
	h := &Handle{
		c: c, name: name, token: d.Token, node: d.Node, stat: c.withoutLock(ctx, d.Stat), created: d.Created, watch: w.watch,
		rights: op.Rights, kept: w.kept, keepLock: o.KeepLock,
	}
	if o.KeepLock > 0 {
		c.mu.Lock()
		defer c.mu.Unlock()
		h.watch.keeper = h // no lock was acquired before
	}
	return h
}
