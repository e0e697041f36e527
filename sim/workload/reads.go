package workload

import (
	"context"

	"github.com/chubbycell/chubby/client"
	"github.com/chubbycell/chubby/linearizability"
	"github.com/chubbycell/chubby/replica/api"
)

// Reads is told of calls on nodes that may be reads.
type Reads interface {
	// Begins is called when a program begins a call.
	Begins(cl *client.Client) Reading
}

// Reading is told the answer of a call that has a definite answer.
type Reading interface {
	// Ends is called with the request and its answer. call is the call at the master, zero if there
	// was none. hit reports whether the client answered without asking a replica. rights are those
	// that an Open asked for.
	Ends(in linearizability.FileInput, out linearizability.FileOutput, call client.CallID, rights client.Rights, hit bool)
}

// isHit reports whether the client answered the present call itself: a call that was not sent has
// no number.
func (p *thread) isHit() bool { return p.trail.Seq == 0 }

// openedIn returns the session of a handle that the program has just got.
func (p *fileWork) openedIn() api.SessionID {
	if p.isHit() {
		return p.client.Status().Session
	}
	return p.trail.Session
}

// names reads the names of the children of a directory, without their metadata.
func (p *fileWork) names(ctx context.Context, o *opened) {
	p.just = true
	p.on(ctx, o, linearizability.FileInput{Op: linearizability.FileReadDir}, func(ctx context.Context) (out linearizability.FileOutput, _ error) {
		names, err := o.h.Names(ctx)
		for _, name := range names {
			out.Children = append(out.Children, linearizability.FileChild{Name: name})
		}
		return out, err
	})
	p.just = false
}

// reading returns the context of a read. At times the read asks the master, whatever is in the
// cache.
func (p *fileWork) reading(ctx context.Context) context.Context {
	p.uncached = p.all.plan.Caches.On && p.caching.Chance(p.all.plan.Caches.Uncached, 100)
	if p.uncached {
		return client.Uncached(ctx)
	}
	return ctx
}

// isLockless reports whether the answer to a call may lack the lock generation, because it may come
// from a cache; the program does not know.
func (p *fileWork) isLockless(in linearizability.FileInput) bool {
	if !p.all.plan.Caches.On || p.uncached {
		return false
	}
	switch in.Op {
	case linearizability.FileGet, linearizability.FileGetStat:
		return true
	case linearizability.FileOpen:
		return true
	}
	return false
}
