package main

import (
	"context"

	"github.com/chubbycell/chubby/sim/mutants"
)

// program builds a side of `chubby sim compare` from the source tree around the working directory.
func program(ctx context.Context, dir, what string) (file string, err error) {
	root, err := mutants.Root(".")
	if err != nil {
		return "", err
	}
	return mutants.Program(ctx, root, dir, what)
}
