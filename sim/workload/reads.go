package workload

import (
	"context"

	"github.com/chubbycell/chubby/client"
	"github.com/chubbycell/chubby/linearizability"
	"github.com/chubbycell/chubby/replica/api"
)

// Reads is told of calls on nodes that may be reads.
type Reads interface {
	// Begins is told that a program makes a call now.
	Begins(cl *client.Client) Reading
}

// Reading is told what a call came to that has a definite answer.
type Reading interface {
	// Ends is told what was asked for and what was found. hit says that the client has asked no
	// replica, and rights are those of an Open.
	Ends(in linearizability.FileInput, out linearizability.FileOutput, rights client.Rights, hit bool)
}

// isHit says that the present call was answered and is no call of the cell's: it has no number.
func (p *thread) isHit() bool { return p.trail.Seq == 0 }

// openedIn is the session of a handle that the program was given now.
func (p *fileWork) openedIn() api.SessionID {
	if p.isHit() {
		return p.client.Status().Session
	}
	return p.trail.Session
}

// names reads which children a directory has, and nothing of them.
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

// reading is the context of a read: at times one that asks the master, whatever the client has.
func (p *fileWork) reading(ctx context.Context) context.Context {
	p.uncached = p.all.plan.Caches.On && p.caching.Chance(p.all.plan.Caches.Uncached, 100)
	if p.uncached {
		return client.Uncached(ctx)
	}
	return ctx
}

// isLockless says that the answer to a call may do without the lock generation: a program does
// not know whether it comes from a cache.
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
