package runner

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestTheBuildIsKnown(t *testing.T) {
	b := ThisBuild()
	require.NotEmpty(t, b.Commit)
	require.NotEmpty(t, b.Go)
	require.NotEmpty(t, b.GOARCH)
	t.Chdir("/")
	if outside := ThisBuild(); outside.Commit != "unknown" {
		require.Equal(t, b.Commit, outside.Commit, "stamped by the go command, wherever it is run")
	}
}
