//go:build unix

package cellcmd

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
	"github.com/stretchr/testify/require"

	"github.com/chubbycell/chubby/client"
	"github.com/chubbycell/chubby/internal/cli"
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
					return startResident(e)
				},
				Cmds: map[string]func(*testscript.TestScript, bool, []string){"exits": exits},
			})
		})
	}
}

// The certificates that the guide makes serve a cell, whose configuration and cell file are the guide's, too.
func TestTheCertificatesOfTheGuideServe(t *testing.T) {
	t.Parallel()
	if _, err := exec.LookPath("openssl"); err != nil {
		t.Skip("it needs openssl, which .ci/run installs where it can")
	}
	text, dir := guide(t), t.TempDir()
	certs := exec.Command("sh", "-ec", strings.ReplaceAll(block(t, text, "**Making certificates.**"), "IP:10.0.0.$i", "IP:127.0.0.1"))
	certs.Dir = dir
	said, err := certs.CombinedOutput()
	require.NoError(t, err, "%s", said)

	config := block(t, text, "Each replica has a configuration file in YAML:")
	cell := block(t, text, "Clients of such a cell need a cell file")
	var clients []string
	for i := 1; i <= 3; i++ {
		config = strings.ReplaceAll(config, fmt.Sprintf("10.0.0.%d:7401", i), freeAddr(t))
		clients = append(clients, freeAddr(t))
		cell = strings.ReplaceAll(cell, fmt.Sprintf("10.0.0.%d:7400", i), clients[i-1])
	}
	config = regexp.MustCompile(`(?m)^(listen_http|backup_dir): .*\n`).ReplaceAllString(config, "")
	require.NoError(t, os.WriteFile(filepath.Join(dir, "chubby.yaml"), []byte(config), 0o600))
	require.NoError(t, os.WriteFile(filepath.Join(dir, "cell.json"), []byte(cell), 0o600))
	serve := func(id int, more ...string) *process {
		return startWith(t, func(c *exec.Cmd) { c.Dir = dir }, append([]string{
			"serve", "--config", "chubby.yaml", "--bootstrap", "--id", fmt.Sprint(id), "--dir", fmt.Sprint(id), "--listen-clients", clients[id-1],
			"--peer-cert", fmt.Sprintf("replica-%d.crt", id), "--peer-key", fmt.Sprintf("replica-%d.key", id),
			"--server-cert", fmt.Sprintf("server-%d.crt", id), "--server-key", fmt.Sprintf("server-%d.key", id),
		}, more...)...)
	}
	bad := serve(1, "--server-cert", "ann.crt", "--server-key", "ann.key", "--check-config")
	require.Equal(t, cli.ExitUsage, bad.ends(t))
	bad.says(t, "server_cert: no client accepts ann.crt: it lacks the extended key usage serverAuth")
	for id := 1; id <= 3; id++ {
		serve(id)
	}
	code, _, words := run(t, "put", "--cell", filepath.Join(dir, "cell.json"), "/f", "x")
	require.Equal(t, cli.ExitClean, code, words)
	nameless := filepath.Join(dir, "nameless.json")
	require.NoError(t, os.WriteFile(nameless, []byte(strings.Replace(cell, `, "cert": "ann.crt", "key": "ann.key"`, "", 1)), 0o600))
	code, _, words = run(t, "cat", "--cell", nameless, "/f")
	require.Equal(t, cli.ExitPermission, code, words)
}
