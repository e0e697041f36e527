//go:build unix

package cellcmd

import (
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
	"github.com/stretchr/testify/require"

	"github.com/chubbycell/chubby/client"
)

// TestSecuring runs each script of testdata/secure against a new cell, with a cell file for each of
// four principals, and the commands of the guide in first.sh, second.sh and third.sh.
func TestSecuring(t *testing.T) {
	t.Parallel()
	text := guide(t)
	shells := map[string]string{
		"first.sh":  block(t, text, "and `ann` runs:"),
		"second.sh": block(t, text, "`ben` tests his rights"),
		"third.sh":  block(t, text, "team its directory in this order:"),
	}
	for _, script := range []string{"guide", "open"} {
		t.Run(script, func(t *testing.T) {
			t.Parallel()
			_, file := startDev(t)
			cell, err := client.ParseTarget(file)
			require.NoError(t, err)
			testscript.Run(t, testscript.Params{
				Files: []string{filepath.Join("testdata", "secure", script+".txtar")},
				Setup: func(e *testscript.Env) error {
					for _, who := range []string{"ann", "ben", "bob", "dora"} {
						cell.Principal = who
						text, err := json.Marshal(cell)
						if err != nil {
							return err
						}
						if err := os.WriteFile(filepath.Join(e.WorkDir, who+".json"), text, 0o600); err != nil {
							return err
						}
					}
					for name, text := range shells {
						if err := os.WriteFile(filepath.Join(e.WorkDir, name), []byte(text), 0o600); err != nil {
							return err
						}
					}
					return nil
				},
				Cmds: map[string]func(*testscript.TestScript, bool, []string){"exits": exits},
			})
		})
	}
}
