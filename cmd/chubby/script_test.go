//go:build unix

package main

import (
	"fmt"
	"net"
	"os"
	"path/filepath"
	"regexp"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
	"github.com/stretchr/testify/require"
)

// TestScripts runs the scripts of the directory scripts with the whole program. In a script, HEAD begins a configuration of
// a cell of one replica, PEERS is the address of that for others, and chubby calls that cell.
func TestScripts(t *testing.T) {
	self, err := os.Executable()
	require.NoError(t, err)
	testscript.Run(t, testscript.Params{
		Dir: "scripts",
		Setup: func(e *testscript.Env) error {
			bin := t.TempDir()
			if err := os.Symlink(self, filepath.Join(bin, "chubby")); err != nil {
				return err
			}
			clients := freeAddr(t)
			e.Setenv("PATH", bin+string(os.PathListSeparator)+e.Getenv("PATH"))
			e.Setenv(asChubby, "1")
			e.Setenv("CHUBBY_CELL", "1="+clients)
			e.Setenv("PEERS", freeAddr(t))
			e.Setenv("HEAD", fmt.Sprintf("cell: prod\nid: 1\nlisten_clients: %s\nbackup_dir: far\nsession_lease: 1s\nsession_lease_max: 1s\nmembers:", clients))
			return nil
		},
		Cmds: map[string]func(*testscript.TestScript, bool, []string){"exits": exits},
	})
}

// exits runs a command and wants an exit code: exits CODE COMMAND ARG...
func exits(ts *testscript.TestScript, _ bool, args []string) {
	got := "0"
	if err := ts.Exec(args[1], args[2:]...); err != nil {
		got = regexp.MustCompile(`\d+`).FindString(err.Error())
	}
	if got != args[0] {
		ts.Fatalf("exit code %s, not %s", got, args[0])
	}
}

// freeAddr is an address of this machine at which nothing listens.
func freeAddr(t *testing.T) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	defer l.Close()
	return l.Addr().String()
}
