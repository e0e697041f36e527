package mutants

import (
	"context"
	"fmt"
	"path/filepath"
	"strings"
	"sync"
)

// Clean is the program without a bug. What breaks in a seed with a bug is a catch
// only if nothing breaks there without one: a false alarm would pass for a catch of
// every bug that is hunted from a seed before it.
//
// It is built when it is first asked for. The zero Clean may be used, with hunts of one
// source tree.
type Clean struct {
	mu      sync.Mutex
	program string          // "": not yet built
	known   map[string]bool // by seed and arguments
}

// build builds the program, unless it is there. It stays in h.Dir.
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

// isClean reports that nothing breaks in a seed without the bug. Hunts may ask side by
// side.
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
	ok = len(r.Failures) == 0 || r.Failures[0].Seed != seed // a seed that does not count is followed by others
	k.mu.Lock()
	k.known[name] = ok
	k.mu.Unlock()
	return ok, nil
}
