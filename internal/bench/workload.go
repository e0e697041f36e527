package bench

import (
	"context"
	"crypto/rand"
	"fmt"
	"time"

	"github.com/chubbycell/chubby/client"
)

// operation is one operation of a client in a closed loop.
type operation func(ctx context.Context) error

// workload is one kind of load.
type workload struct {
	name, help string
	clients    int  // the only number of clients; 0: those that the user gives
	principals int  // the clients are of so many principals in turn; 0: one
	isExtra    bool // it runs only if it is asked for by name
	commands   int  // of the log in each operation; 0: none, or unknown
	// prepare makes what one client needs, and returns its operation; nil for Holding.
	prepare func(ctx context.Context, w *worker) (operation, error)
}

// workloads are all of them, in the order in which they run.
var workloads = []workload{
	{name: "write", help: "SetContents of a file of the client's own; all clients have one principal", commands: 1, prepare: write},
	{name: "write-8", help: "the same, with clients of eight principals", principals: 8, commands: 1, prepare: write},
	{name: "put", help: "Put of a row of the client's own", commands: 1, prepare: put},
	{name: "get", help: "Get of a row of the client's own: linearizable", prepare: get},
	{name: "contents", help: "Contents of a file of the client's own: linearizable", prepare: contents},
	{name: "lock", help: "Acquire and Release of a lock of the client's own", commands: 2, prepare: lockOwn},
	{name: "lock-kept", help: "the same, with a handle that keeps its lock (KeepLock)", prepare: lockKept},
	{name: "handoff", help: "Acquire and Release of one lock by 16 clients", clients: 16, commands: 2, prepare: lockShared},
	{name: "session", help: "Dial and Close: a new connection and a session", prepare: dialAndClose},
	{name: "fill", help: "Open creates a file. The files stay in the cell. Runs only if it is named", isExtra: true, commands: 1, prepare: fill},
	{name: Holding, help: "holds as many idle sessions as --clients says, up to 131072. Runs only if it is named", isExtra: true},
}

// Workloads are the names of all workloads.
func Workloads() (all []string) {
	for _, w := range workloads {
		all = append(all, w.name)
	}
	return all
}

// workloadsFor are the names of the workloads that run if none is named: where clients prove who they
// are there is one principal.
func workloadsFor(t client.Target) (all []string) {
	for _, w := range workloads {
		if !w.isExtra && (w.principals <= 1 || !proves(t)) {
			all = append(all, w.name)
		}
	}
	return all
}

// proves reports whether clients of the target have a principal that they cannot choose.
func proves(t client.Target) bool { return t.Cert != "" || t.TokenFile != "" }

// Help describes a workload in a few words; empty: there is no such workload.
func Help(name string) string {
	w, _ := workloadOf(name)
	return w.help
}

func workloadOf(name string) (workload, bool) {
	for _, w := range workloads {
		if w.name == name {
			return w, true
		}
	}
	return workload{}, false
}

// worker is one client of a row.
type worker struct {
	number int
	cl     *client.Client
	dial   func(ctx context.Context) (*client.Client, error) // another session of the same principal
	dir    string                                            // full name of the directory of the run
	value  string
}

// open opens a file that is deleted when no client has it open any more.
func (w *worker) open(ctx context.Context, name, contents string) (*client.Handle, error) {
	return w.cl.Open(ctx, w.dir+"/"+name, client.OpenOptions{
		Rights: client.Read | client.Write, Create: client.CreateMay, Ephemeral: true, Contents: contents,
	})
}

// openOwn opens a file that no other client opens.
func (w *worker) openOwn(ctx context.Context) (*client.Handle, error) {
	return w.open(ctx, fmt.Sprintf("client-%d", w.number), w.value)
}

// row is the key of a row that no other client uses.
func (w *worker) row() string { return fmt.Sprintf("%s/client-%d", w.dir, w.number) }

func write(ctx context.Context, w *worker) (operation, error) {
	h, err := w.openOwn(ctx)
	return func(ctx context.Context) error {
		_, err := h.SetContents(ctx, w.value, 0)
		return err
	}, err
}

func contents(ctx context.Context, w *worker) (operation, error) {
	h, err := w.openOwn(ctx)
	return func(ctx context.Context) error {
		_, _, err := h.Contents(ctx)
		return err
	}, err
}

func put(ctx context.Context, w *worker) (operation, error) {
	key := w.row()
	op := func(ctx context.Context) error { return w.cl.Put(ctx, key, w.value) }
	return op, op(ctx)
}

func get(ctx context.Context, w *worker) (operation, error) {
	key := w.row()
	return func(ctx context.Context) error {
		_, err := w.cl.Get(ctx, key)
		return err
	}, w.cl.Put(ctx, key, w.value)
}

func lockOwn(ctx context.Context, w *worker) (operation, error) {
	h, err := w.openOwn(ctx)
	return acquireAndRelease(h), err
}

func lockKept(ctx context.Context, w *worker) (operation, error) {
	h, err := w.cl.Open(ctx, fmt.Sprintf("%s/client-%d", w.dir, w.number), client.OpenOptions{
		Rights: client.Write, Create: client.CreateMay, Ephemeral: true, KeepLock: time.Minute,
	})
	return acquireAndRelease(h), err
}

func lockShared(ctx context.Context, w *worker) (operation, error) {
	h, err := w.open(ctx, "shared", "")
	return acquireAndRelease(h), err
}

func acquireAndRelease(h *client.Handle) operation {
	return func(ctx context.Context) error {
		lock, err := h.Acquire(ctx, client.Exclusive)
		if err != nil {
			return err
		}
		return lock.Release(ctx)
	}
}

func dialAndClose(_ context.Context, w *worker) (operation, error) {
	return func(ctx context.Context) error {
		cl, err := w.dial(ctx)
		if err != nil {
			return err
		}
		return cl.Close(ctx)
	}, nil
}

// fill makes files in a directory of the client's own.
func fill(ctx context.Context, w *worker) (operation, error) {
	dir := fmt.Sprintf("%s/%s-%d", w.dir, rand.Text()[:8], w.number)
	h, err := w.cl.Open(ctx, dir, client.OpenOptions{Rights: client.Write, Create: client.CreateMust, Directory: true})
	if err != nil {
		return nil, err
	}
	files := 0
	return func(ctx context.Context) error {
		files++
		f, err := w.cl.Open(ctx, fmt.Sprintf("%s/%d", dir, files), client.OpenOptions{Rights: client.Write, Create: client.CreateMust, Contents: w.value})
		if err != nil {
			return err
		}
		return f.Close(ctx)
	}, h.Close(ctx)
}
