package main

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/chubbycell/chubby/internal/cli"
)

const largest = "18446744073709551615"

func TestHuntsBeyondTheLargestSeedAreRefused(t *testing.T) {
	w := newWorld()
	for line, want := range map[string]string{
		"sim mutants --from " + largest + " --seeds 2": "--from " + largest + " --seeds 2:",
		"lab load etcd --from " + largest:              "--from " + largest + " --seeds 20:",
		"sim mutants --report r.md --from " + largest:  "--from " + largest + " --starts 5:",
	} {
		require.Equal(t, cli.ExitUsage, w.do(strings.Fields(line)...), line)
		require.Contains(t, w.err.String(), want, line)
	}
}
