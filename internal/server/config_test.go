package server_test

import (
	"math"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/chubbycell/chubby/internal/server"
	"github.com/chubbycell/chubby/internal/transport/rpc"
)

const good = `
cell: test
id: 1
members: {1: "127.0.0.1:0"}
dir: data
listen_clients: 127.0.0.1:0
session_lease: 6s
`

func file(t *testing.T, name, text string) string {
	name = filepath.Join(t.TempDir(), name)
	require.NoError(t, os.WriteFile(name, []byte(text), 0o600))
	return name
}

func TestAConfigurationIsReadStrictly(t *testing.T) {
	c, err := server.Load(file(t, "good.yaml", good))
	require.NoError(t, err)
	require.NoError(t, c.Validate())
	require.Equal(t, 6*time.Second, c.LeaseMin)
	for text, words := range map[string]string{
		good + "lisen_http: x\n":                     "lisen_http is no key of the configuration",
		good + "id: 2\n":                             `"id" already defined`,
		good + "---\nid: 2\n":                        "more than one document",
		"id: one\n":                                  "line 1: id is one: give a number",
		"session_lease: 6 weeks":                     "line 1: session_lease is 6 weeks: give a duration such as 12s",
		"members: [127.0.0.1:0]":                     "line 1: members is a list: give ID: HOST:PORT for each replica",
		"cell: c\nmembers:\n  1: a:1\n  2: {a: b}\n": "line 4: members is a map: give one text",
		"cell: c\noperators: [admin, ann]\nid: 1\n":  "line 2: operators is a list: give names between commas, in one text",
		"cell: c\noperators:\n  - admin\n  - ann\n":  "operators is a list: give names between commas",
		"backup_dir: x\nbackup_every: 0\n":           "line 2: backup_every is 0: give a duration such as 12s",
		"allow_plain: maybe":                         "line 1: allow_plain is maybe: give true or false",
		"backup_dir: x\nbackup_keep: 0\n":            "line 2: backup_keep 0: at least 2; without the key it is 24",
		"cell: [unfinished\nid: ":                    "did not find expected",
	} {
		_, err := server.Load(file(t, "bad.yaml", text))
		require.ErrorContains(t, err, words)
		require.ErrorContains(t, err, "bad.yaml")
	}
	_, err = server.Load("nowhere.yaml")
	require.ErrorIs(t, err, os.ErrNotExist)
	c, err = server.Load(file(t, "empty.yaml", ""))
	require.NoError(t, err)
	err = c.Validate()
	for _, words := range []string{`cell ""`, "dir is missing", "listen_clients is missing", "members is missing", "id is missing"} {
		require.ErrorContains(t, err, words)
	}
	require.NotContains(t, err.Error(), "paxos")
}

func TestTheEnvironmentAndFlagsSetKeys(t *testing.T) {
	c, err := server.Load(file(t, "good.yaml", good))
	require.NoError(t, err)
	require.NoError(t, c.SetFromEnv([]string{"HOME=/", "CHUBBY_SERVE_ID=3", "CHUBBY_SERVE_ALLOW_PLAIN=true", "CHUBBY_SERVE_SESSION_LEASE=9s", "CHUBBY_SERVE_MAX_CLIENTS=7", "CHUBBY_SERVE_DIR=/x"}))
	require.EqualValues(t, 3, c.ID)
	require.Equal(t, 9*time.Second, c.LeaseMin)
	require.Equal(t, 7, c.MaxClients)
	require.Equal(t, "/x", c.Dir)
	require.True(t, c.AllowPlain)
	require.NoError(t, c.SetFromEnv([]string{"CHUBBY_SERVE_CONFIG=x.yaml", "CHUBBY_SERVE_MEMBERS=3=a:7, 4=[::1]:8"}))
	require.Equal(t, map[uint32]string{3: "a:7", 4: "[::1]:8"}, c.Members, "they replace those of the file")
	for text, words := range map[string]string{
		"":              `members "": give ID=HOST:PORT,ID=HOST:PORT, and not ""`,
		"1=a:7,b:8":     `members "1=a:7,b:8": give ID=HOST:PORT,ID=HOST:PORT, and not "b:8"`,
		"one=a:7":       `and not "one=a:7"`,
		"1=a:7,1=b:7":   "replica 1 is given twice",
		"4294967296=a:": "give ID=HOST:PORT",
	} {
		require.ErrorContains(t, c.SetFromEnv([]string{"CHUBBY_SERVE_MEMBERS=" + text}), words)
	}
	require.ErrorContains(t, c.SetFromEnv([]string{"CHUBBY_SERVE_BACKUP_KEEP=0"}), "backup_keep 0: at least 2")
	err = c.SetFromEnv([]string{"CHUBBY_SERVE_DRI=x", "CHUBBY_SERVE_ID=one", "CHUBBY_SERVE_SESSION_LEASE=6", "CHUBBY_SERVE_ALLOW_PLAIN=si"})
	for _, words := range []string{"CHUBBY_SERVE_DRI: no such key", `id "one": give a number`, `"6": give a duration such as 12s`, `"si": give true or false`} {
		require.ErrorContains(t, err, words)
	}
}

func TestFaultsOfAConfigurationNameTheKey(t *testing.T) {
	for _, c := range []struct {
		words  string
		change func(*server.Config)
	}{
		{"cell \"local\"", func(c *server.Config) { c.Cell = "local" }},
		{"listen_http \"x\"", func(c *server.Config) { c.ListenHTTP = "x" }},
		{"listen_clients \"127.0.0.1:99999\": give host:port, and a port from 0 to 65535", func(c *server.Config) { c.ListenClients = "127.0.0.1:99999" }},
		{"members: address \"a:99999\" of replica 2", func(c *server.Config) { c.Members[2] = "a:99999" }},
		{"members: address \"x\" of replica 2", func(c *server.Config) { c.Members[2] = "x" }},
		{"id 2: not among members, which has 1: give the id of this replica", func(c *server.Config) { c.ID = 2 }},
		{"id is missing: the number of this replica", func(c *server.Config) { c.ID = 0 }},
		{"members: a:7 is the address of replica 2 and of replica 3: each has its own", func(c *server.Config) { c.Members[2], c.Members[3] = "a:7", "a:7" }},
		{"members: replica 0: ids begin with 1", func(c *server.Config) { c.Members[0] = "a:7" }},
		{"listen_http: a:7 is that of listen_clients, too: give each a port of its own", func(c *server.Config) { c.ListenClients, c.ListenHTTP = "a:7", "a:7" }},
		{"listen_clients: a:7 is that of listen_peers, too", func(c *server.Config) { c.Members[1], c.ListenClients = "a:7", "a:7" }},
		{"peer_cert, peer_key and peer_ca", func(c *server.Config) { c.PeerCert = "x" }},
		{"server_cert and server_key", func(c *server.Config) { c.ServerKey = "x" }},
		{"client_ca: needs server_cert", func(c *server.Config) { c.ClientCA = "x" }},
		{"no client can say who it is", func(c *server.Config) { c.ServerCert, c.ServerKey = "x", "y" }},
		{"allow_plain: give token_file", func(c *server.Config) { c.AllowPlain = true }},
		{"lease_grant 50ms: between 400ms and 1m0s", func(c *server.Config) { c.LeaseGrant = 50 * time.Millisecond }},
		{"max_clients -1: between 0 and 1000000, where 0 is for 10000", func(c *server.Config) { c.MaxClients = -1 }},
		{"max_clients 2147483647: between 0 and 1000000", func(c *server.Config) { c.MaxClients = math.MaxInt32 }},
		{"lease_grant -1s", func(c *server.Config) { c.LeaseGrant = -time.Second }},
		{"session_lease is 1ms; 0, or at least", func(c *server.Config) { c.LeaseMin = time.Millisecond }},
		{"session_lease_max 3s: less than session_lease, which is 6s", func(c *server.Config) { c.LeaseMax = 3 * time.Second }},
		{"session_lease_max 3s: less than session_lease, which is 12s", func(c *server.Config) { c.LeaseMin, c.LeaseMax = 0, 3*time.Second }},
		{"session_lease_max is 6m0s; between session_lease, 6s, and 5m0s", func(c *server.Config) { c.LeaseMax = 6 * time.Minute }},
		{"log_level \"loud\"", func(c *server.Config) { c.LogLevel = "loud" }},
		{"log_format \"xml\"", func(c *server.Config) { c.LogFormat = "xml" }},
		{"max_clients -1", func(c *server.Config) { c.MaxClients = -1 }},
	} {
		cfg, err := server.Load(file(t, "good.yaml", good))
		require.NoError(t, err)
		c.change(&cfg)
		require.ErrorContains(t, cfg.Validate(), c.words)
	}
}

func TestFilesThatAConfigurationNamesAreChecked(t *testing.T) {
	cfg, err := server.Load(file(t, "good.yaml", good))
	require.NoError(t, err)
	cfg.Dir = t.TempDir()
	require.NoError(t, cfg.CheckFiles())
	cfg.TokenFile = file(t, "tokens", "bob 0123456789abcdef01234567\n")
	require.NoError(t, cfg.CheckFiles())
	require.NoError(t, os.Chmod(cfg.TokenFile, 0o644))
	require.ErrorContains(t, cfg.CheckFiles(), "chmod o= it")
	cfg.TokenFile = ""
	for _, addr := range []string{"0.0.0.0:0", ":0", "[::]:0", "10.0.0.1:0"} {
		cfg.ListenClients, cfg.ListenPeers = addr, addr
		require.ErrorContains(t, cfg.CheckFiles(), "listen_clients: "+addr+" is not a loopback address, and connections are plain: give server_cert")
		require.ErrorContains(t, cfg.CheckFiles(), "listen_peers: "+addr+" is not a loopback address, and connections are plain: give peer_cert")
		cfg.AllowPlain = true
		require.NoError(t, cfg.CheckFiles())
		cfg.AllowPlain = false
	}
	cfg.ListenClients, cfg.ListenPeers = "localhost:0", ""
	require.NoError(t, cfg.CheckFiles())
	cfg.TokenFile = "nowhere"
	cfg.PeerCert, cfg.PeerKey, cfg.PeerCA = "no.crt", "no.key", "no.ca"
	err = cfg.CheckFiles()
	require.ErrorContains(t, err, "peer_cert: open no.crt")
	require.ErrorContains(t, err, "token_file: stat nowhere")
}

func TestAnEmptyDirectoryIsNeverTakenForThatOfAMember(t *testing.T) {
	cfg, err := server.Load(file(t, "good.yaml", good))
	require.NoError(t, err)
	cfg.Dir = filepath.Join(t.TempDir(), "data")
	start := func(bootstrap bool) error {
		s, err := server.Start(cfg, server.Options{Bootstrap: bootstrap})
		if err == nil {
			require.NoError(t, s.Stop(t.Context()))
		}
		return err
	}
	require.ErrorIs(t, cfg.CheckDir(false), server.ErrEmpty)
	require.NoError(t, cfg.CheckDir(true))
	err = start(false)
	require.ErrorIs(t, err, server.ErrEmpty)
	require.ErrorContains(t, err, "--bootstrap")
	require.NoDirExists(t, cfg.Dir, "a refusal leaves nothing behind")
	require.NoError(t, os.MkdirAll(filepath.Join(cfg.Dir, "lost+found"), 0o700))
	require.NoError(t, os.WriteFile(filepath.Join(cfg.Dir, ".new-1"), nil, 0o600)) // its founding was interrupted
	notes := filepath.Join(cfg.Dir, "notes.txt")
	require.NoError(t, os.WriteFile(notes, nil, 0o600))
	err = start(true)
	require.ErrorIs(t, err, server.ErrNotEmpty)
	require.ErrorContains(t, err, `it has "notes.txt"`)
	require.NoError(t, os.Remove(notes))
	require.NoError(t, start(true))
	require.NoError(t, start(false))
	require.ErrorIs(t, start(true), server.ErrFounded)
	require.ErrorIs(t, cfg.CheckDir(true), server.ErrFounded)
	require.NoError(t, cfg.CheckDir(false))

	// Founding was interrupted before the member file was there, or the files come from a backup.
	member, err := os.ReadFile(filepath.Join(cfg.Dir, "member.json"))
	require.NoError(t, err)
	require.NoError(t, os.Remove(filepath.Join(cfg.Dir, "member.json")))
	require.ErrorContains(t, start(false), "start it once with --bootstrap")
	require.NoError(t, start(true))

	// Log and register are lost, and other files of the store are there: it would vote without its promises.
	away := t.TempDir()
	for _, name := range []string{"log", "promise.a", "promise.b"} {
		require.NoError(t, os.Rename(filepath.Join(cfg.Dir, name), filepath.Join(away, name)))
		require.DirExists(t, filepath.Join(cfg.Dir, "snapshots"))
		require.ErrorIs(t, start(false), server.ErrLost, name)
		require.ErrorIs(t, start(true), server.ErrLost, name)
	}
	for _, name := range []string{"log", "promise.a", "promise.b"} {
		require.NoError(t, os.Rename(filepath.Join(away, name), filepath.Join(cfg.Dir, name)))
	}
	require.NoError(t, start(false))

	other := cfg
	other.Cell = "other"
	_, err = server.Start(other, server.Options{})
	require.ErrorIs(t, err, server.ErrOther)
	other = cfg
	other.Members = map[uint32]string{1: "127.0.0.1:0", 2: "127.0.0.1:1", 3: "127.0.0.1:2"}
	_, err = server.Start(other, server.Options{})
	require.ErrorContains(t, err, "members cannot change")

	// The disk is lost, and the member file with it or not.
	require.NoError(t, os.RemoveAll(cfg.Dir))
	require.ErrorIs(t, start(false), server.ErrEmpty)
	require.NoError(t, os.MkdirAll(cfg.Dir, 0o700))
	require.NoError(t, os.WriteFile(filepath.Join(cfg.Dir, "member.json"), member, 0o600))
	require.ErrorIs(t, start(false), server.ErrLost)
	require.ErrorIs(t, start(true), server.ErrLost)
	require.NoError(t, os.WriteFile(filepath.Join(cfg.Dir, "member.json"), []byte("{}"), 0o600))
	require.ErrorContains(t, start(false), "member.json")
}

// What a replica would run with can be given to it as its configuration.
func TestDefaultsAreSaid(t *testing.T) {
	c, err := server.Load(file(t, "good.yaml", good+"backup_dir: far\n"))
	require.NoError(t, err)
	full := c.WithDefaults()
	require.NoError(t, full.Validate())
	require.Equal(t, full, full.WithDefaults())
	require.Equal(t, c.Members[c.ID], full.ListenPeers)
	require.Equal(t, []time.Duration{6 * time.Second, time.Minute, time.Hour}, []time.Duration{full.LeaseMin, full.LeaseMax, full.BackupEvery})
	c.LeaseMin = 2 * time.Minute
	require.Equal(t, 2*time.Minute, c.WithDefaults().LeaseMax)
	require.Equal(t, []any{rpc.DefaultClients, 24, "info", "text"}, []any{full.MaxClients, full.BackupKeep, full.LogLevel, full.LogFormat})

	c.BackupDir = ""
	full = c.WithDefaults()
	require.NoError(t, full.Validate(), "no backups")
	require.Zero(t, full.BackupEvery)
}
