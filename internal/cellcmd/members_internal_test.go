package cellcmd

import (
	"bytes"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/chubbycell/chubby/internal/cli"
	"github.com/chubbycell/chubby/internal/transport/rpc/chubbyv1"
)

// The tables say how far a cell is on its way to a newer program.
func TestTheTablesSayWhichCommandsTheCellUses(t *testing.T) {
	four := programOf(&chubbyv1.Program{Commands: &chubbyv1.VersionRange{Oldest: 3, Newest: 4}})
	require.Equal(t, "3 of 4", commands(3, four))
	require.Equal(t, "4", commands(4, four))
	require.Equal(t, "-", commands(0, programOf(nil)), "a program that does not say it")

	var out bytes.Buffer
	a := &call{}
	a.Streams = cli.Streams{Out: &out}
	all := []replicaStatus{{ID: 1, Serving: true, Program: four, commands: 3}, {ID: 2, Serving: true}}
	require.NoError(t, a.printStatus(status{Cell: "c", Master: 2, Commands: inUse(all), Replicas: all}))
	require.Regexp(t, `commands +version 3\n`, out.String())
	require.Regexp(t, `replica 1 +- +knows a master, and knows commands up to version 4\n`, out.String())
	require.Regexp(t, `replica 2 +- +is the master\n`, out.String())
}
