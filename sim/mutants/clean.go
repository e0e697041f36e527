package mutants

import (
	"context"
	"fmt"
	"path/filepath"
	"strings"
	"sync"
)

// Clean is the program without a bug. A break in a seed is a catch of a bug only if the clean program does not break in
// that seed. Without this check, one false alarm would count as a catch of every bug whose hunt reaches its seed.
//
// The first use builds the program, which stays in the Dir of that hunt. The zero Clean is ready for use. All hunts
// that share a Clean must have the same Root. They may run concurrently.
type Clean struct {
	mu      sync.Mutex
	program string          // "": not yet built
	known   map[string]bool // by seed and arguments
}

// build builds the program, unless it exists. The program stays in h.Dir.
func (k *Clean) build(ctx context.Context, h Hunt) error {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.program != "" {
		return nil
	}
	program := filepath.Join(h.Dir, "clean.bin")
	if err := (Mutant{ID: "clean"}).Build(ctx, h.Root, h.Dir, program); err != nil {
		return err
	}
	k.program, k.known = program, map[string]bool{}
	return nil
}

// isClean reports whether nothing breaks in a seed of the clean program. It runs the seed, or remembers its result.
func (k *Clean) isClean(ctx context.Context, h Hunt, seed uint64) (bool, error) {
	if err := k.build(ctx, h); err != nil {
		return false, err
	}
	name := fmt.Sprintf("%d %s", seed, strings.Join(h.Args, " "))
	k.mu.Lock()
	ok, known := k.known[name]
	k.mu.Unlock()
	if known {
		return ok, nil
	}
	h.For, h.Jobs = 0, 1
	r, _, err := h.simulate(ctx, k.program, seed, 1, 0)
	if err != nil {
		return false, fmt.Errorf("seed %d without the bug: %w", seed, err)
	}
	ok = len(r.Failures) == 0 || r.Failures[0].Seed != seed // after a seed that does not count, the program runs further seeds
	k.mu.Lock()
	k.known[name] = ok
	k.mu.Unlock()
	return ok, nil
}
