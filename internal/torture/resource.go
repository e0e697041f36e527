package torture

import (
	"slices"
	"sync"

	"github.com/chubbycell/chubby/linearizability"
)

// resource is what the holder of a lock writes to: a counter that is read and written back,
// one higher. It refuses a request whose sequencer is of an earlier generation than one that
// it has accepted. So it loses no increment, unless two holders have one generation.
type resource struct {
	mu       sync.Mutex
	highest  uint64
	version  uint64
	made     uint64
	accesses []linearizability.Access
}

// increment reads and writes, in two requests.
func (r *resource) increment(gen uint64, client int64) {
	base, ok := r.read(gen, client)
	if ok {
		r.write(gen, client, base)
	}
}

func (r *resource) read(gen uint64, client int64) (version uint64, ok bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.version, r.accept(linearizability.Access{Client: client, Token: gen})
}

func (r *resource) write(gen uint64, client int64, base uint64) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.made++
	if r.accept(linearizability.Access{Client: client, Token: gen, Write: true, Version: r.made, Base: base}) {
		r.version = r.made
	}
}

func (r *resource) accept(a linearizability.Access) bool {
	a.Accepted = a.Token >= r.highest
	if a.Accepted {
		r.highest = a.Token
	}
	r.accesses = append(r.accesses, a)
	return a.Accepted
}

func (r *resource) log() []linearizability.Access {
	r.mu.Lock()
	defer r.mu.Unlock()
	return slices.Clone(r.accesses)
}
