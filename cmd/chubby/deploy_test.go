package main

import (
	"crypto/x509"
	"encoding/pem"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"go.yaml.in/yaml/v3"

	"github.com/chubbycell/chubby/client"
	"github.com/chubbycell/chubby/internal/cli"
	"github.com/chubbycell/chubby/internal/transport/certtest"
)

func shipped(t *testing.T, name string) string {
	text, err := os.ReadFile(filepath.Join("deploy", name))
	require.NoError(t, err)
	return string(text)
}

func decode(t *testing.T, text string) map[string]any {
	var v map[string]any
	require.NoError(t, yaml.Unmarshal([]byte(text), &v))
	return v
}

// isUnderstood holds a command line of chubby to the commands and flags that there are.
func isUnderstood(t *testing.T, line string, args []string) {
	c, rest, err := newWorld().root().Find(args)
	require.NoError(t, err, line)
	require.NotEqual(t, "chubby", c.Name(), line)
	require.NoError(t, c.ParseFlags(rest), line)
	require.NoError(t, c.ValidateArgs(c.Flags().Args()), line)
}

// place writes a configuration that is shipped to a directory that stands for /etc/chubby.
func place(t *testing.T, name string) (dir, file string) {
	dir = t.TempDir()
	file = filepath.Join(dir, "chubby.yaml")
	require.NoError(t, os.WriteFile(file, []byte(strings.ReplaceAll(shipped(t, name), "/etc/chubby", dir)), 0o600))
	return dir, file
}

// The unit starts what there is, and the configuration that it starts with is accepted.
func TestTheUnitAndItsConfigurationAreRight(t *testing.T) {
	unit := shipped(t, "chubby.service")
	commands := regexp.MustCompile(`(?m)(?:^ExecStart=/usr/local/bin/|^# +sudo -u chubby )chubby (.*?)(?: {2,}#.*)?$`).FindAllStringSubmatch(unit, -1)
	require.Len(t, commands, 2)
	for _, c := range commands {
		isUnderstood(t, c[0], strings.Fields(c[1]))
	}
	for _, line := range strings.Split(unit, "\n") {
		require.Regexp(t, `^($|#|\[\w+\]$|[A-Z]\w+=)`, line)
	}
	require.Contains(t, unit, fmt.Sprintf("RestartPreventExitStatus=%d\n", cli.ExitUsage))
	require.Contains(t, unit, "ExecReload=/bin/kill -HUP $MAINPID\n")

	require.NotRegexp(t, `ReadWritePaths=[^-]`, unit, "systemd starts no unit that lacks such a path, and backup_dir may be missing")
	installed := regexp.MustCompile(`(?m)^# +install -m 0640 -g chubby (.*) /etc/chubby/`).FindStringSubmatch(unit)
	require.NotNil(t, installed)
	for _, m := range regexp.MustCompile(`/etc/chubby/([^\s]+)`).FindAllStringSubmatch(shipped(t, "chubby.yaml"), -1) {
		require.True(t, slices.ContainsFunc(strings.Fields(installed[1]), func(pattern string) bool {
			ok, err := filepath.Match(pattern, m[1])
			return err == nil && ok
		}), "the user of the unit can read %s", m[1])
	}

	dir, file := place(t, "chubby.yaml")
	ca := certtest.New(t)
	write := func(name, kind string, der []byte) {
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), pem.EncodeToMemory(&pem.Block{Type: kind, Bytes: der}), 0o600))
	}
	for name, dns := range map[string]string{"replica-1": "replica-1.prod", "server-1": "chubby-1.example.net"} {
		cert := ca.Issue(t, name, dns)
		key, err := x509.MarshalPKCS8PrivateKey(cert.PrivateKey)
		require.NoError(t, err)
		write(name+".crt", "CERTIFICATE", cert.Certificate[0])
		write(name+".key", "PRIVATE KEY", key)
	}
	write("replicas-ca.crt", "CERTIFICATE", ca.Cert.Raw)
	write("clients-ca.crt", "CERTIFICATE", ca.Cert.Raw)
	w := newWorld()
	require.Equal(t, cli.ExitClean, w.do("serve", "--config", file, "--dir", filepath.Join(dir, "data"), "--check-config"), w.err.String())
}

// composed is what a test reads of a compose file.
type composed struct {
	Services map[string]struct {
		Command     []string
		Environment map[string]string
		Ports       []string
		Volumes     []string
	}
	Volumes map[string]any
}

func compose(t *testing.T, name string) (c composed) {
	require.NoError(t, yaml.Unmarshal([]byte(shipped(t, name)), &c))
	return c
}

// The five services are five replicas of one cell, with directories of their own, and the cell
// file finds them.
func TestTheComposedCellIsRight(t *testing.T) {
	dir, file := place(t, "compose.chubby.yaml")
	require.NoError(t, os.WriteFile(filepath.Join(dir, "tokens"), []byte("admin "+strings.Repeat("a", 32)), 0o640))
	var members struct{ Members map[string]string }
	require.NoError(t, yaml.Unmarshal([]byte(shipped(t, "compose.chubby.yaml")), &members))
	cell, err := client.ParseTarget(filepath.Join("deploy", "cell.json"))
	require.NoError(t, err)
	up, found := compose(t, "compose.yaml"), compose(t, "compose.found.yaml")
	require.Len(t, up.Services, 5)
	seen := map[string]bool{}
	for name, s := range up.Services {
		id := s.Environment["CHUBBY_SERVE_ID"]
		require.Equal(t, name+":7401", members.Members[id], "the name of the service is where the others look for it")
		isUnderstood(t, name, s.Command)
		require.NotContains(t, s.Command, "--bootstrap")
		require.Equal(t, append(s.Command, "--bootstrap"), found.Services[name].Command)
		isUnderstood(t, name, found.Services[name].Command)
		w := newWorld()
		t.Setenv("CHUBBY_SERVE_ID", id)
		require.Equal(t, cli.ExitClean, w.do("serve", "--config", file, "--dir", filepath.Join(dir, "data"), "--check-config"), w.err.String())
		var number uint32
		_, err := fmt.Sscan(id, &number)
		require.NoError(t, err)
		require.Contains(t, s.Ports, cell.Replicas[number]+":7400", "cell.json finds it")
		for _, p := range s.Ports {
			require.Regexp(t, `^127\.0\.0\.1:\d+:740[02]$`, p)
			require.False(t, seen[p], p)
			seen[p] = true
		}
		data, _, _ := strings.Cut(s.Volumes[2], ":")
		require.Contains(t, up.Volumes, data)
		require.False(t, seen[data], data)
		seen[data] = true
	}
	require.Len(t, found.Services, 5)
	for _, m := range regexp.MustCompile(`(?m)^# +chubby (.*)$`).FindAllStringSubmatch(shipped(t, "compose.yaml"), -1) {
		isUnderstood(t, m[0], strings.Fields(m[1]))
	}
}

// The image runs the binary that it builds, with a command that there is.
func TestTheImageRunsAReplica(t *testing.T) {
	text := shipped(t, "Containerfile")
	m := regexp.MustCompile(`(?m)^CMD \["(.*)"\]$`).FindStringSubmatch(text)
	require.NotNil(t, m)
	isUnderstood(t, m[0], strings.Split(m[1], `", "`))
	require.Contains(t, text, "ENTRYPOINT [\"/usr/local/bin/chubby\"]")
	mod, err := os.ReadFile(filepath.Join(project, "go.mod"))
	require.NoError(t, err)
	version := regexp.MustCompile(`(?m)^go (\d+\.\d+)`).FindSubmatch(mod)
	require.Contains(t, text, "golang:"+string(version[1])+" ")
}

// The nightly run has flags that there are, and keeps the directory that it writes.
func TestTheNightlyRunKeepsWhatFails(t *testing.T) {
	raw, err := os.ReadFile(filepath.Join(project, ".github", "workflows", "simulate.yml"))
	require.NoError(t, err)
	require.Contains(t, decode(t, string(raw)), "jobs")
	m := regexp.MustCompile(`(?m)^ +\./chubby (.*) > report.txt `).FindStringSubmatch(string(raw))
	require.NotNil(t, m)
	line := regexp.MustCompile(`"\$\(\(.*\)\)"`).ReplaceAllString(m[1], "1")
	line = strings.ReplaceAll(line, `"$FOR"`, "30m")
	isUnderstood(t, m[0], strings.Fields(line))
	require.Contains(t, line, "--out failures")
	require.Contains(t, string(raw), "path: failures\n")
	require.Contains(t, string(raw), "go build -o chubby ./cmd/chubby ")
	require.Contains(t, string(raw), "head -c 50000 report.txt", "what is told has the stories, and the lines that run seeds again")
}
