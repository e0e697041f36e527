//go:build unix

package cellcmd

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/chubbycell/chubby/internal/cli"
	"github.com/chubbycell/chubby/internal/schema"
	"github.com/chubbycell/chubby/internal/server"
	"github.com/chubbycell/chubby/internal/transport/loopback"
)

func TestACellInADirectoryGoesOnWithItsFiles(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	p, file := startDev(t, "--dir", dir)
	code, _, text := run(t, "put", "--cell", file, "/f", "kept")
	require.Equal(t, cli.ExitClean, code, text)
	require.NoError(t, p.Process.Signal(syscall.SIGINT))
	require.Equal(t, cli.ExitInterrupted, p.ends(t))
	require.NoFileExists(t, file)

	p, file = startDev(t, "--dir", dir)
	code, out, text := run(t, "cat", "--cell", file, "/f")
	require.Equal(t, cli.ExitClean, code, text)
	require.Equal(t, "kept", out)

	code, _, text = run(t, "dev", "--file", file)
	require.Equal(t, cli.ExitUsage, code)
	require.Contains(t, text, "a cell runs already")
	require.NoError(t, p.Process.Signal(syscall.SIGTERM))
	require.Equal(t, cli.ExitClean, p.ends(t))

	code, _, text = run(t, "dev", "--file", file, "--dir", dir, "--replicas", "5")
	require.Equal(t, cli.ExitUsage, code)
	require.Contains(t, text, "has a cell of 3")
	require.NoError(t, os.RemoveAll(filepath.Join(dir, "2")))
	code, _, text = run(t, "dev", "--file", file, "--dir", dir)
	require.Equal(t, cli.ExitUsage, code)
	require.Contains(t, text, "its disk is lost: it must not start empty")
}

// With -o json a cell prints one line when it serves, with all addresses.
func TestACellSaysWhereItIsAsJSON(t *testing.T) {
	t.Parallel()
	dir, file := t.TempDir(), filepath.Join(t.TempDir(), "cell.json")
	p := startWith(t, func(*exec.Cmd) {}, "dev", "--replicas", "2", "--dir", dir, "--file", file, "--http", "-o", "json")
	p.says(t, "ready_ns")
	require.NoError(t, p.Process.Signal(syscall.SIGTERM))
	require.Equal(t, cli.ExitClean, p.ends(t))
	out, said := p.text()
	require.Empty(t, said)
	require.Equal(t, 1, strings.Count(out, "\n"), out)
	require.Equal(t, devSchema, schema.Accept(t, project, []byte(out)))
	var r devCellReady
	require.NoError(t, json.Unmarshal([]byte(out), &r))
	require.Equal(t, []any{devCell, dir, false, file}, []any{r.Cell, r.Dir, r.Temporary, r.CellFile})
	require.Positive(t, r.Ready)
	require.Len(t, r.Replicas, 2)
	for i, x := range r.Replicas {
		require.EqualValues(t, i+1, x.ID)
		require.True(t, server.IsHostPort(x.Addr) && server.IsHostPort(x.HTTP), out)
	}
}

// A terminal that is closed ends a cell in good order: what it made for itself is gone.
func TestAHangupRemovesATemporaryCell(t *testing.T) {
	t.Parallel()
	tmp, file := t.TempDir(), filepath.Join(t.TempDir(), "cell.json")
	p := startWith(t, func(c *exec.Cmd) { c.Env = append(os.Environ(), "TMPDIR="+tmp) }, "dev", "--replicas", "1", "--file", file)
	p.says(t, "ready")
	left, err := os.ReadDir(tmp)
	require.NoError(t, err)
	require.Len(t, left, 1)
	for range 2 { // by the shell, and by the system
		require.NoError(t, p.Process.Signal(syscall.SIGHUP))
	}
	require.Equal(t, cli.ExitInterrupted, p.ends(t))
	require.NoFileExists(t, file)
	left, err = os.ReadDir(tmp)
	require.NoError(t, err)
	require.Empty(t, left)
}

func TestWhatIsWrongWithACellIsSaid(t *testing.T) {
	file := filepath.Join(t.TempDir(), "cell.json")
	for words, args := range map[string][]string{
		"1 to 15":                {"--replicas", "0"},
		"give host:port":         {"--listen", "nowhere"},
		"not a loopback address": {"--listen", "0.0.0.0:0"},
		"give an address of the loopback interface with free ports, or port 0": {"--listen", "192.0.2.1:0"},
		"100ms to 1m":                           {"--session-lease", "1ms"},
		"--dir":                                 {"--dir", "/dev/null/x"},
		"--dir is empty: give a value":          {"--dir", ""},
		"--file is empty: give a value":         {"--file", ""},
		"takes no argument, and \"now\" is one": {"now"},
	} {
		code, out, text := run(t, append([]string{"dev", "--file", file}, args...)...)
		require.Equal(t, cli.ExitUsage, code, words)
		require.Contains(t, text, words)
		require.Empty(t, out)
		require.NoFileExists(t, file)
	}
}

// What is not a cell of chubby dev is neither replaced, nor removed, nor mixed with its files.
func TestDevSparesOtherFiles(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	file := filepath.Join(dir, "notes")
	require.NoError(t, os.WriteFile(file, []byte("of mine"), 0o600))
	prod := filepath.Join(dir, "prod.json")
	require.NoError(t, os.WriteFile(prod, []byte(`{"cell": "prod", "replicas": {"1": "127.0.0.1:1"}}`), 0o600))
	pipe := filepath.Join(dir, "pipe") // it would be read for ever
	require.NoError(t, syscall.Mkfifo(pipe, 0o600))
	for words, args := range map[string][]string{
		"pipe: it is no regular file":                                      {"--file", pipe},
		"notes: there is a file that is no cell file":                      {"--file", file},
		`prod.json: it is the cell file of the cell "prod"`:                {"--file", prod},
		"name a file in a directory that exists":                           {"--file", filepath.Join(dir, "nowhere", "cell.json")},
		"it has notes, and no cell of chubby dev: name an empty directory": {"--dir", dir, "--file", filepath.Join(dir, "cell.json")},
	} {
		code, out, text := run(t, append([]string{"dev", "--replicas", "1"}, args...)...)
		require.Equal(t, cli.ExitUsage, code, words)
		require.Contains(t, text, words)
		require.Empty(t, out)
	}
	left, err := os.ReadDir(dir)
	require.NoError(t, err)
	require.Len(t, left, 3)
	text, err := os.ReadFile(file)
	require.NoError(t, err)
	require.Equal(t, "of mine", string(text))
}

// freeAddr is an address of the loopback interface that is free.
func freeAddr(t *testing.T) string {
	addr, err := loopback.Addr()
	require.NoError(t, err)
	return addr
}

// Three processes are founded as a cell, killed, and started again.
func TestReplicasAsProcesses(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	var members, clients []string
	for id := 1; id <= 3; id++ {
		members = append(members, fmt.Sprintf("  %d: %s", id, freeAddr(t)))
		clients = append(clients, freeAddr(t))
	}
	config := filepath.Join(dir, "cell.yaml")
	require.NoError(t, os.WriteFile(config, []byte("cell: prod\nmembers:\n"+strings.Join(members, "\n")+"\n"), 0o600))
	args := func(id int, more ...string) []string {
		return append([]string{"serve", "--config", config, "--id", fmt.Sprint(id), "--dir", filepath.Join(dir, fmt.Sprint(id)), "--listen-clients", clients[id-1]}, more...)
	}
	target := fmt.Sprintf("1=%s,2=%s,3=%s", clients[0], clients[1], clients[2])

	code, _, text := run(t, args(1)...)
	require.Equal(t, cli.ExitUsage, code)
	require.Contains(t, text, "start each of its replicas once with --bootstrap")
	code, out, text := run(t, args(1, "--check-config", "--log-format", "json")...)
	require.Equal(t, cli.ExitClean, code, text)
	require.Contains(t, out, "log_format: json\n")
	require.Contains(t, text, "would be refused: dir "+filepath.Join(dir, "1")+": the directory has no files of a replica")
	require.NotContains(t, out, "lease_grant: 0s")
	require.Contains(t, out, "# lease_grant is that of the cell, and 800ms in a new one\n")
	require.Contains(t, out, "session_lease: 12s\nsession_lease_max: 1m0s\nmax_clients: 10000\n")

	var all []*process
	for id := 1; id <= 3; id++ {
		all = append(all, start(t, args(id, "--bootstrap")...))
	}
	for _, p := range all {
		p.says(t, `msg=leader replica=\d leader=[123]`)
	}
	code, _, text = run(t, "put", "--cell", target, "/f", "kept")
	require.Equal(t, cli.ExitClean, code, text)
	for _, p := range all {
		require.NoError(t, p.Process.Kill())
		p.ends(t)
	}
	code, _, text = run(t, args(1, "--bootstrap")...)
	require.Equal(t, cli.ExitUsage, code)
	require.Contains(t, text, "founded before: start it without --bootstrap")

	code, _, text = run(t, args(1, "--lease-grant", "3s")...)
	require.Equal(t, cli.ExitUsage, code, text)
	require.Contains(t, text, config+": the configuration does not fit the cell: lease_grant is 3s here, and 800ms in the cell")

	all = nil
	for id := 1; id <= 3; id++ {
		all = append(all, start(t, args(id)...))
	}
	code, out, text = run(t, "cat", "--cell", target, "/f")
	require.Equal(t, cli.ExitClean, code, text)
	require.Equal(t, "kept", out)
	for i, s := range []syscall.Signal{syscall.SIGTERM, syscall.SIGINT, syscall.SIGTERM} {
		require.NoError(t, all[i].Process.Signal(s))
		require.Equal(t, map[syscall.Signal]int{syscall.SIGTERM: cli.ExitClean, syscall.SIGINT: cli.ExitInterrupted}[s], all[i].ends(t))
	}
}

func TestWhatIsWrongWithAConfigurationIsSaid(t *testing.T) {
	file := filepath.Join(t.TempDir(), "c.yaml")
	require.NoError(t, os.WriteFile(file, []byte("cell: c\nlisten: x\n"), 0o600))
	good := filepath.Join(t.TempDir(), "good.yaml")
	require.NoError(t, os.WriteFile(good, []byte("cell: c\n"), 0o600))
	for words, args := range map[string][]string{
		"--config is missing":                   {},
		"no such file":                          {"--config", "nowhere.yaml"},
		"listen is no key of the configuration": {"--config", file},
		"dir is missing":                        {"--config", good},
		`id "one": give a number`:               {"--config", good, "--id", "one"},
		"unknown flag: --idd":                   {"--idd", "1"},
	} {
		code, _, text := run(t, append([]string{"serve"}, args...)...)
		require.Equal(t, cli.ExitUsage, code, words)
		require.Contains(t, text, words)
	}
	t.Setenv("CHUBBY_SERVE_IDD", "1")
	code, _, text := run(t, "serve", "--config", good)
	require.Equal(t, cli.ExitUsage, code)
	require.Contains(t, text, "CHUBBY_SERVE_IDD: no such key")
}
