// Command chubby is the one program of the project: it simulates cells and hunts
// for bugs in them, checks histories of any system, and looks into the files of
// a replica. It is the composition root: nothing below it reads a flag, a clock
// or the environment, but for package simcmd, which holds the commands of the simulator
// for programs of other modules, too.
//
// Reading order: root.go (the commands), then one file a command; mutants.go and score.go
// hunt planted bugs. The commands of `chubby sim` are in package simcmd, what they share
// with those here in package cli.
package main

import (
	"os"

	"github.com/chubbycell/chubby/internal/cli"
)

func main() {
	cli.Main(newApp(cli.Streams{Name: "chubby", In: os.Stdin, Out: os.Stdout, Err: os.Stderr}).root())
}
