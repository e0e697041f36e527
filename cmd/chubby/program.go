package main

import (
	"context"
	"fmt"
	"os"

	"github.com/chubbycell/chubby/sim/mutants"
)

// program builds a side of `chubby sim compare` from the source tree around the working directory.
func program(ctx context.Context, dir, what string) (file string, err error) {
	root, err := mutants.Root(".")
	if _, missing := os.Stat(what); err != nil && missing != nil {
		return "", fmt.Errorf("%q is neither a setting (key=value) nor a file; if it is a commit: %w", what, err)
	}
	if err != nil {
		return "", fmt.Errorf("%s is to be built: %w", what, err)
	}
	return mutants.Program(ctx, root, dir, what)
}
