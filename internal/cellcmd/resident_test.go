//go:build unix

package cellcmd

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
	"github.com/stretchr/testify/require"

	"github.com/chubbycell/chubby/internal/cli"
)

// asResident is set in the environment of a process chubby that is to run command after command.
const asResident = "CHUBBY_TEST_RESIDENT"

// ofResident is the key of the resident that a script has.
type ofResident struct{}

// resident is a process chubby that runs one command after the other, for one script: most commands take
// less time than a process takes to start. Each has a tree of commands and streams of its own.
type resident struct {
	to   *json.Encoder
	from *json.Decoder
}

// order is a command to run.
type order struct {
	Args []string
	Dir  string
	Env  map[string]string
}

// outcome is how it ended.
type outcome struct {
	Code     int
	Out, Err string
}

// ofScripts are the variables that scripts change.
var ofScripts = []string{"CHUBBY_CELL", "XDG_RUNTIME_DIR"}

// startResident gives a script a resident, which has the environment of its commands, and ends with the script.
func startResident(e *testscript.Env) error {
	c := exec.Command("chubby")
	c.Dir, c.Env, c.Stderr = e.WorkDir, append(slices.Clone(e.Vars), asResident+"=1"), os.Stderr
	in, err := c.StdinPipe()
	if err != nil {
		return err
	}
	out, err := c.StdoutPipe()
	if err != nil {
		return err
	}
	if err := c.Start(); err != nil {
		return err
	}
	e.Values[ofResident{}] = &resident{json.NewEncoder(in), json.NewDecoder(out)}
	e.Defer(func() {
		_ = in.Close() // which ends it
		require.NoError(e.T().(testing.TB), c.Wait())
	})
	return nil
}

// reside runs what is ordered, until stdin ends.
func reside() {
	from, to := json.NewDecoder(os.Stdin), json.NewEncoder(os.Stdout)
	for {
		var o order
		err := from.Decode(&o)
		if errors.Is(err, io.EOF) {
			os.Exit(0)
		}
		for name, value := range o.Env { // order-free: each has its own
			err = errors.Join(err, os.Setenv(name, value))
		}
		if err = errors.Join(err, os.Chdir(o.Dir)); err != nil {
			panic(err)
		}
		var out, said bytes.Buffer
		root := tree()
		root.SetIn(strings.NewReader(""))
		root.SetOut(&out)
		root.SetErr(&said)
		code := cli.Run(context.Background(), root, &said, o.Args)
		if err := to.Encode(outcome{code, out.String(), said.String()}); err != nil {
			panic(err)
		}
	}
}

// run has the resident run a command where a script stands, prints what it printed, and returns its exit code.
func (r *resident) run(ts *testscript.TestScript, args []string) int {
	o := order{Args: args, Dir: ts.MkAbs("."), Env: map[string]string{}}
	for _, name := range ofScripts {
		o.Env[name] = ts.Getenv(name)
	}
	ts.Check(r.to.Encode(o))
	var got outcome
	ts.Check(r.from.Decode(&got))
	_, err := io.WriteString(ts.Stdout(), got.Out)
	ts.Check(err)
	_, err = io.WriteString(ts.Stderr(), got.Err)
	ts.Check(err)
	return got.Code
}
