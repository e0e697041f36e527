//go:build unix

package cellcmd

import (
	"crypto/x509"
	"encoding/json"
	"encoding/pem"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/chubbycell/chubby/internal/cli"
	"github.com/chubbycell/chubby/internal/schema"
	"github.com/chubbycell/chubby/internal/transport/certtest"
)

// A port that another process has may be free soon: serve ends with the exit code that the systemd unit
// starts it again for, not with that of a wrong configuration.
func TestServeOnAPortThatIsTakenIsToBeStartedAgain(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	taken, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	defer taken.Close()
	config := filepath.Join(dir, "cell.yaml")
	require.NoError(t, os.WriteFile(config, []byte("cell: prod\nid: 1\nmembers:\n  1: "+freeAddr(t)+"\n"), 0o600))
	code, _, said := run(t, "serve", "--config", config, "--dir", filepath.Join(dir, "1"), "--listen-clients", taken.Addr().String(), "--bootstrap")
	require.Equal(t, cli.ExitInternal, code, said)
	require.Contains(t, said, "listen_clients: listen tcp "+taken.Addr().String())
	code, _, said = run(t, "serve", "--config", config, "--dir", filepath.Join(dir, "2"), "--listen-clients", taken.Addr().String())
	require.Equal(t, cli.ExitUsage, code, said)
}

// backup now prints the file, which is there.
func TestABackupIsWrittenNow(t *testing.T) {
	t.Parallel()
	dir, at := t.TempDir(), freeAddr(t)
	config, far := filepath.Join(dir, "cell.yaml"), filepath.Join(dir, "far")
	require.NoError(t, os.Mkdir(far, 0o700))
	require.NoError(t, os.WriteFile(config, []byte("cell: prod\nid: 1\nmembers:\n  1: "+freeAddr(t)+"\n"), 0o600))
	p := start(t, "serve", "--config", config, "--dir", filepath.Join(dir, "1"), "--listen-clients", at, "--backup-dir", far, "--bootstrap")
	code, _, said := run(t, "put", "--cell", "1="+at, "/f", "1")
	require.Equal(t, cli.ExitClean, code, said)
	code, out, said := run(t, "backup", "now", "--cell", "1="+at)
	require.Equal(t, cli.ExitClean, code, said)
	require.FileExists(t, strings.TrimSuffix(out, "\n"))
	code, out, said = run(t, "backup", "now", "--cell", "1="+at, "-o", "json")
	require.Equal(t, cli.ExitClean, code, said)
	require.Equal(t, backupNowSchema, schema.Accept(t, project, []byte(out)))
	require.Regexp(t, `"replica": 1,\n  "file": "`+regexp.QuoteMeta(far)+`/cell-[0-9a-f]{16}/[0-9]{20}\.snap",\n  "slot": [0-9]+\n`, out)
	require.NoError(t, p.Process.Signal(syscall.SIGTERM))
	require.Equal(t, cli.ExitClean, p.ends(t))
	code, _, said = run(t, "backup", "now", "--cell", "1="+at, "--timeout", "1s")
	require.Equal(t, cli.ExitTimeout, code, said)
}

// --check-config and the log of a replica tell of a certificate, and an authority, that should be renewed: the ones
// here are valid for an hour.
func TestACertificateThatExpiresSoonIsToldOf(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	write := func(name, kind string, der []byte) string {
		file := filepath.Join(dir, name)
		require.NoError(t, os.WriteFile(file, pem.EncodeToMemory(&pem.Block{Type: kind, Bytes: der}), 0o600))
		return file
	}
	authority := certtest.New(t)
	c := authority.Issue(t, "server")
	secret, err := x509.MarshalPKCS8PrivateKey(c.PrivateKey)
	require.NoError(t, err)
	text := strings.Join([]string{
		"cell: prod", "id: 1", "members:", "  1: " + freeAddr(t), "dir: " + filepath.Join(dir, "1"), "listen_clients: 127.0.0.1:0",
		"client_ca: " + write("ca.crt", "CERTIFICATE", authority.Cert.Raw), "server_cert: " + write("server.crt", "CERTIFICATE", c.Certificate[0]),
		"server_key: " + write("server.key", "PRIVATE KEY", secret),
	}, "\n")
	config := filepath.Join(dir, "cell.yaml")
	require.NoError(t, os.WriteFile(config, []byte(text), 0o600))
	code, out, said := run(t, "serve", "--config", config, "--check-config", "--bootstrap")
	require.Equal(t, cli.ExitClean, code, said)
	require.Contains(t, out, "id: 1")
	require.Regexp(t, `^chubby: The certificate of server_cert is valid only until \S+: replace its file before that\.
chubby: The authority of client_ca is valid only until \S+: before that put a new one beside it, and renew the certificates\.
$`, said)

	p := start(t, "serve", "--config", config, "--bootstrap")
	p.says(t, `level=WARN msg="a certificate expires soon: replace its file before" replica=1 key=server_cert`)
	p.says(t, `level=WARN msg="a certificate expires soon: replace its file before" replica=1 key=client_ca`)
	require.NoError(t, p.Process.Signal(syscall.SIGTERM))
	require.Equal(t, cli.ExitClean, p.ends(t))
}

// What --check-config prints is a configuration file with the same meaning.
func TestTheSettingsInEffectAreAConfiguration(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	for name, more := range map[string]string{"no-backups": "", "backups": "backup_dir: " + dir + "\n", "grant": "lease_grant: 3s\n"} {
		config, again := filepath.Join(dir, name+".yaml"), filepath.Join(dir, name+"-again.yaml")
		text := "cell: prod\nid: 1\nmembers:\n  1: 127.0.0.1:7401\ndir: " + filepath.Join(dir, "1") + "\nlisten_clients: 127.0.0.1:7400\n" + more
		require.NoError(t, os.WriteFile(config, []byte(text), 0o600))
		code, settings, said := run(t, "serve", "--config", config, "--check-config", "--bootstrap")
		require.Equal(t, cli.ExitClean, code, said)
		require.NoError(t, os.WriteFile(again, []byte(settings), 0o600))
		code, out, said := run(t, "serve", "--config", again, "--check-config", "--bootstrap")
		require.Equal(t, cli.ExitClean, code, said)
		require.Equal(t, settings, out)
	}
}

// With -o json, --check-config prints one object, also of a configuration with faults, which are on stderr, too.
func TestACheckedConfigurationAsJSON(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	write := writesTo(t, dir)
	head := "cell: prod\nid: 1\nmembers:\n  2: b:7401\n  1: a:7401\ndir: " + filepath.Join(dir, "1") + "\n"
	check := func(config string, more ...string) (r checkedConfig, code int, said string) {
		code, out, said := run(t, append([]string{"serve", "--config", config, "--check-config", "-o", "json"}, more...)...)
		require.Equal(t, configSchema, schema.Accept(t, project, []byte(out)), said)
		require.NoError(t, json.Unmarshal([]byte(out), &r))
		require.Equal(t, code, r.Exit)
		require.Equal(t, config, r.Config)
		return r, code, said
	}
	good := write("good.yaml", head+"listen_clients: 127.0.0.1:7400\n")
	r, code, said := check(good, "--bootstrap")
	require.Equal(t, cli.ExitClean, code, said)
	require.True(t, r.Valid)
	require.Empty(t, r.Refused)
	require.Equal(t, "1=a:7401,2=b:7401", r.Settings["members"])
	require.Equal(t, "12s", r.Settings["session_lease"])
	args := []string{"serve", "--check-config", "-o", "json", "--bootstrap"}
	for key, text := range r.Settings { // order-free: flags
		args = append(args, "--"+flagOf(key)+"="+text)
	}
	code, out, said := run(t, args...)
	require.Equal(t, cli.ExitClean, code, said)
	var again checkedConfig
	require.NoError(t, json.Unmarshal([]byte(out), &again))
	require.Equal(t, r.Settings, again.Settings)

	r, code, said = check(good) // without --bootstrap
	require.Equal(t, cli.ExitClean, code, said)
	require.Contains(t, r.Refused, "--bootstrap")

	r, code, said = check(write("bad.yaml", "cell: Prod\nid: 3\nmembers:\n  1: a:7401\n"))
	require.Equal(t, cli.ExitUsage, code)
	require.False(t, r.Valid)
	require.Nil(t, r.Settings)
	require.Len(t, r.Faults, 4)
	for _, f := range r.Faults {
		require.Contains(t, said, f)
	}
	r, code, _ = check(filepath.Join(dir, "nowhere.yaml"))
	require.Equal(t, cli.ExitUsage, code)
	require.Len(t, r.Faults, 1)

	code, out, said = run(t, "serve", "--config", good, "-o", "json")
	require.Equal(t, cli.ExitUsage, code)
	require.Empty(t, out)
	require.Contains(t, said, "-o json: it is of --check-config; serve prints nothing to stdout, and logs JSON with --log-format json")
	code, _, said = run(t, "serve", "--config", good, "--check-config", "-o", "yaml")
	require.Equal(t, cli.ExitUsage, code)
	require.Contains(t, said, `-o "yaml": give table or json`)
}

// A replica takes its whole configuration from variables, or the name of the file, and flags override them.
func TestAReplicaIsConfiguredByTheEnvironment(t *testing.T) {
	t.Parallel()
	dir, at, peers := t.TempDir(), freeAddr(t), freeAddr(t)
	in := func(vars ...string) func(c *exec.Cmd) {
		return func(c *exec.Cmd) { c.Env = append(c.Env, vars...) }
	}
	all := in("CHUBBY_SERVE_CELL=prod", "CHUBBY_SERVE_ID=1", "CHUBBY_SERVE_MEMBERS=1="+peers, "CHUBBY_SERVE_DIR="+filepath.Join(dir, "1"), "CHUBBY_SERVE_LISTEN_CLIENTS="+at)
	p := startWith(t, all, "serve", "--bootstrap")
	code, _, said := run(t, "put", "--cell", "1="+at, "/f", "1")
	require.Equal(t, cli.ExitClean, code, said)
	require.NoError(t, p.Process.Signal(syscall.SIGTERM))
	require.Equal(t, cli.ExitClean, p.ends(t))

	p = startWith(t, all, "serve", "--check-config", "--bootstrap", "--dir", filepath.Join(dir, "2"), "--members", "1=a:1,2=b:2")
	require.Equal(t, cli.ExitClean, p.ends(t))
	settings, _ := p.text()
	require.Contains(t, settings, "members:\n    1: a:1\n    2: b:2\n")
	config := filepath.Join(dir, "cell.yaml")
	require.NoError(t, os.WriteFile(config, []byte(settings), 0o600))
	p = startWith(t, in("CHUBBY_SERVE_CONFIG="+config), "serve", "--check-config", "--bootstrap")
	require.Equal(t, cli.ExitClean, p.ends(t))
	again, _ := p.text()
	require.Equal(t, settings, again)

	for words, vars := range map[string][]string{
		"--config is missing: give a configuration file":                                                                     {"CHUBBY_SERVE_ID=1"},
		"environment variable CHUBBY_SERVE_MEMBRES: no such key of the configuration":                                        {"CHUBBY_SERVE_CONFIG=" + config, "CHUBBY_SERVE_MEMBRES=1=a:1"},
		"open nowhere.yaml: no such file or directory: give the file of a configuration, of which docs/running.md shows one": {"CHUBBY_SERVE_CONFIG=nowhere.yaml"},
		"the configuration of flags and variables: cell \"\": give a name":                                                   {"CHUBBY_SERVE_MEMBERS=1=a:1"},
		"environment variable CHUBBY_SERVE_MEMBERS: members \"a:1\": give ID=HOST:PORT,ID=HO":                                {"CHUBBY_SERVE_MEMBERS=a:1"},
	} {
		p := startWith(t, in(vars...), "serve", "--check-config")
		require.Equal(t, cli.ExitUsage, p.ends(t))
		_, said := p.text()
		require.Contains(t, said, words)
	}
	code, _, said = run(t, "serve", "--config", "", "--members", "1=a:1")
	require.Equal(t, cli.ExitUsage, code, said)
	require.Contains(t, said, "--config is empty")
}

// The reason why a replica ended, here a full disk, is in its log, and is not printed once more.
func TestTheEndOfAReplicaIsToldOnce(t *testing.T) {
	t.Parallel()
	dir, at := t.TempDir(), freeAddr(t)
	full := filepath.Join(dir, "full")
	p := start(t, "serve", "--cell", "prod", "--id", "1", "--members", "1="+freeAddr(t), "--dir", filepath.Join(dir, "1"), "--listen-clients", at, "--bootstrap", "--full-while", full)
	code, _, said := run(t, "put", "--cell", "1="+at, "/f", "1")
	require.Equal(t, cli.ExitClean, code, said)
	require.NoError(t, os.WriteFile(full, nil, 0o600))
	run(t, "put", "--cell", "1="+at, "--timeout", "2s", "/f", "2") // whether this is executed is unknown
	require.Equal(t, cli.ExitInternal, p.ends(t))
	_, log := p.text()
	require.Equal(t, 1, strings.Count(log, "no space left on device"), "%s", log)
	require.Contains(t, log, `level=ERROR msg="replica stopped" replica=1 err="replica 1 stops`)
}
