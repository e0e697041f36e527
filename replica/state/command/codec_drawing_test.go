package command_test

import (
	"os"
	"regexp"
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/chubbycell/chubby/replica/state/command"
)

// Every command drawn in codec.go begins with the version that Append writes.
func TestTheDrawingShowsTheVersion(t *testing.T) {
	text, err := os.ReadFile("codec.go")
	require.NoError(t, err)
	drawn := regexp.MustCompile(`(?m)^//\t(\d+) '(.)'`).FindAllStringSubmatch(string(text), -1)
	require.NotEmpty(t, drawn)
	version := strconv.Itoa(int(command.Append(nil, command.Checksum{})[0]))
	for _, line := range drawn {
		require.Equal(t, version, line[1], "command %s", line[2])
	}
}
