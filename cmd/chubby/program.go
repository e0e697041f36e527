package main

import (
	"context"
	"fmt"

	"github.com/chubbycell/chubby/sim/mutants"
)

// program builds a side of `chubby sim compare` from the source tree around the working directory.
func program(ctx context.Context, dir, what string) (file string, err error) {
	root, err := mutants.Root(".")
	if err != nil {
		return "", fmt.Errorf("%s is to be built: %w", what, err)
	}
	return mutants.Program(ctx, root, dir, what)
}
