package server

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"maps"
	"os"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"go.yaml.in/yaml/v3"
)

// Load reads a configuration file in YAML. A key that does not exist, or comes twice, is an
// error that names it.
func Load(name string) (Config, error) {
	var c Config
	text, err := os.ReadFile(name)
	if err != nil {
		return c, err
	}
	d := yaml.NewDecoder(bytes.NewReader(text))
	d.KnownFields(true)
	if err := d.Decode(&c); err != nil && !errors.Is(err, io.EOF) {
		return c, fmt.Errorf("%s: %s", name, plain(err, keysOf(text)))
	}
	if d.Decode(new(any)) != io.EOF {
		return c, fmt.Errorf("%s: more than one document", name)
	}
	for _, key := range keysOf(text) {
		if key.name == keepKey && key.value == "0" {
			return c, fmt.Errorf("%s: line %d: %w", name, key.line, errKeepsNone)
		}
	}
	return c, nil
}

// keepKey is the one number that means nothing where it is 0.
const keepKey = "backup_keep"

var errKeepsNone = errors.New(keepKey + " 0: at least 2; without the key it is 24. To write no backups, leave backup_dir out")

// placed is a key of the file, with its value, if that is one word, and the line on which that begins.
type placed struct {
	name, value string
	line        int
}

// keysOf are the keys of a file in YAML; none if that cannot be read.
func keysOf(text []byte) (all []placed) {
	var doc yaml.Node
	if yaml.Unmarshal(text, &doc) != nil || len(doc.Content) == 0 {
		return nil
	}
	pairs := doc.Content[0].Content
	for i := 0; i+1 < len(pairs); i += 2 {
		all = append(all, placed{pairs[i].Value, pairs[i+1].Value, pairs[i+1].Line})
	}
	return all
}

// mismatch is what the decoder says of a value of the wrong kind.
var mismatch = regexp.MustCompile("line (\\d+): cannot unmarshal (!!\\w+)(?: `(.*)`)? into (\\S+)")

// plain is an error of the YAML decoder without the names of our types, and with those of keys.
func plain(err error, keys []placed) string {
	text := strings.TrimPrefix(strings.TrimPrefix(err.Error(), "yaml: "), "unmarshal errors:\n  ")
	text = mismatch.ReplaceAllStringFunc(text, func(whole string) string {
		m := mismatch.FindStringSubmatch(whole)
		line, _ := strconv.Atoi(m[1])
		key := ""
		for _, k := range keys { // the last that begins there or before
			if k.line <= line {
				key = k.name
			}
		}
		got := m[3]
		if kind := map[string]string{"!!seq": "a list", "!!map": "a map"}[m[2]]; kind != "" {
			got = kind
		}
		want := map[string]string{
			"string": "one text", "bool": "true or false", "time.Duration": "a duration such as 12s", "map[uint32]string": "ID: HOST:PORT for each replica",
		}[m[4]]
		if want == "" {
			want = "a number"
		}
		if key == "operators" {
			want = "names between commas, in one text"
		}
		return fmt.Sprintf("line %d: %s is %s: give %s", line, key, got, want)
	})
	text = strings.ReplaceAll(text, " not found in type server.Config", " is no key of the configuration")
	return strings.ReplaceAll(text, " already set in type server.Config", " is given twice")
}

// Key is one value of a Config that can also be given as a flag or in the environment.
type Key struct {
	Name, Help string
	value      any // *string, *uint32, *int, *bool, *time.Duration or *map[uint32]string
}

// Keys are all keys.
func (c *Config) Keys() []Key {
	return []Key{
		{"cell", "name of the cell: lower-case letters, digits and '-'", &c.Cell},
		{"id", "id of this replica, one of those of the key members", &c.ID},
		{"members", "all replicas, ID=HOST:PORT,ID=HOST:PORT, with the addresses at which they reach each other", &c.Members},
		{"dir", "directory of this replica's files", &c.Dir},
		{"listen_peers", "host:port for the other replicas (default: this replica's entry in members)", &c.ListenPeers},
		{"listen_clients", "host:port for clients", &c.ListenClients},
		{"listen_http", "host:port of the status page, /livez, /readyz, /metrics and /events (default: none)", &c.ListenHTTP},
		{"peer_cert", "file with the certificate of this member, for the other replicas", &c.PeerCert},
		{"peer_key", "file with the key of peer_cert", &c.PeerKey},
		{"peer_ca", "file with the authority that signs the certificates of members, and nothing else", &c.PeerCA},
		{"server_cert", "file with the certificate that clients see", &c.ServerCert},
		{"server_key", "file with the key of server_cert", &c.ServerKey},
		{"client_ca", "file with the authority that signs the certificates of clients", &c.ClientCA},
		{"token_file", "file with the tokens of clients, in lines PRINCIPAL TOKEN", &c.TokenFile},
		{"allow_plain", "true: accept connections without TLS beyond the loopback interface, too (default false)", &c.AllowPlain},
		{"operators", "principals, separated by commas, that may see all sessions, set limits, order backups and have a master resign", &c.Operators},
		{"lease_grant", "how long members grant the leader its lease, 400ms to 1m; the same at all members, for ever (default: that of the cell, 800ms in a new one)", &c.LeaseGrant},
		{"session_lease", "session lease while the cell has few sessions (default 12s)", &c.LeaseMin},
		{"session_lease_max", "session lease when it has very many, from session_lease to 5m (default 1m, or session_lease if that is longer)", &c.LeaseMax},
		{"max_clients", "most client processes that this replica serves at one time (default 10000)", &c.MaxClients},
		{"backup_dir", "directory in which the master writes backups (default: no backups)", &c.BackupDir},
		{"backup_every", "time from one backup to the next (default 1h)", &c.BackupEvery},
		{keepKey, "how many of the newest backups to keep, at least 2 (default 24)", &c.BackupKeep},
		{"log_level", "debug, info, warn or error (default info)", &c.LogLevel},
		{"log_format", "text or json (default text)", &c.LogFormat},
	}
}

// Kind is the kind of value that Set takes, in one word: string, bool, number or duration.
func (k Key) Kind() string {
	switch k.value.(type) {
	case *bool:
		return "bool"
	case *int, *uint32:
		return "number"
	case *time.Duration:
		return "duration"
	}
	return "string"
}

// Set sets the value from text.
func (k Key) Set(text string) error {
	var err error
	switch v := k.value.(type) {
	case *string:
		*v = text
	case *bool:
		*v, err = strconv.ParseBool(text)
	case *int:
		*v, err = strconv.Atoi(text)
	case *uint32:
		var n uint64
		n, err = strconv.ParseUint(text, 10, 32)
		*v = uint32(n)
	case *time.Duration:
		*v, err = time.ParseDuration(text)
	case *map[uint32]string:
		*v, err = parseMembers(text)
		return err
	}
	if k.Name == keepKey && err == nil && *k.value.(*int) == 0 {
		return errKeepsNone
	}
	if err != nil {
		kinds := map[bool]string{true: "a duration such as 12s"}
		_, isDuration := k.value.(*time.Duration)
		_, isBool := k.value.(*bool)
		kind := kinds[isDuration]
		switch {
		case isBool:
			kind = "true or false"
		case kind == "":
			kind = "a number"
		}
		return fmt.Errorf("%s %q: give %s", k.Name, text, kind)
	}
	return nil
}

// Text is the value as text that Set takes; "" if it is not set.
func (k Key) Text() string {
	if v := reflect.ValueOf(k.value).Elem(); v.IsZero() && v.Kind() != reflect.Bool {
		return ""
	}
	switch v := k.value.(type) {
	case *string:
		return *v
	case *bool:
		return strconv.FormatBool(*v)
	case *int:
		return strconv.Itoa(*v)
	case *uint32:
		return strconv.FormatUint(uint64(*v), 10)
	case *time.Duration:
		return v.String()
	case *map[uint32]string:
		var all []string
		for _, id := range slices.Sorted(maps.Keys(*v)) {
			all = append(all, fmt.Sprintf("%d=%s", id, (*v)[id]))
		}
		return strings.Join(all, ",")
	}
	return ""
}

// parseMembers reads the replicas in one text. Validate judges the addresses.
func parseMembers(text string) (map[uint32]string, error) {
	all := map[uint32]string{}
	for one := range strings.SplitSeq(text, ",") {
		number, addr, ok := strings.Cut(strings.TrimSpace(one), "=")
		id, err := strconv.ParseUint(number, 10, 32)
		if !ok || err != nil {
			return nil, fmt.Errorf("members %q: give ID=HOST:PORT,ID=HOST:PORT, and not %q", text, one)
		}
		if _, twice := all[uint32(id)]; twice {
			return nil, fmt.Errorf("members %q: replica %d is given twice", text, id)
		}
		all[uint32(id)] = addr
	}
	return all, nil
}

// EnvPrefix begins the names of environment variables that set keys: CHUBBY_SERVE_ID is id.
const EnvPrefix = "CHUBBY_SERVE_"

// EnvConfig is the variable that names the configuration file. It is no key.
const EnvConfig = EnvPrefix + "CONFIG"

// SetFromEnv sets keys from an environment, as os.Environ gives it. A variable with the
// prefix and no key is an error, EnvConfig excepted.
func (c *Config) SetFromEnv(environ []string) error {
	keys := map[string]Key{}
	for _, k := range c.Keys() {
		keys[EnvPrefix+strings.ToUpper(k.Name)] = k
	}
	var faults []error
	for _, v := range environ {
		name, value, _ := strings.Cut(v, "=")
		if !strings.HasPrefix(name, EnvPrefix) || name == EnvConfig {
			continue
		}
		k, ok := keys[name]
		if !ok {
			faults = append(faults, fmt.Errorf("environment variable %s: no such key of the configuration", name))
		} else if err := k.Set(value); err != nil {
			faults = append(faults, fmt.Errorf("environment variable %s: %w", name, err))
		}
	}
	return errors.Join(faults...)
}

func (c *Config) level() (l slog.Level, err error) {
	if c.LogLevel == "" {
		return slog.LevelInfo, nil
	}
	err = l.UnmarshalText([]byte(c.LogLevel))
	return l, err
}

// Logger writes what the configuration asks for.
func (c *Config) Logger(w io.Writer) *slog.Logger {
	level, _ := c.level()
	options := &slog.HandlerOptions{Level: level}
	if c.LogFormat == "json" {
		return slog.New(slog.NewJSONHandler(w, options))
	}
	return slog.New(slog.NewTextHandler(w, options))
}
