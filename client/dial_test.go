package client_test

import (
	"context"
	"io"
	"log"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/chubbycell/chubby/client"
)

// What cannot become a connection fails at once, and says what to give in its place.
func TestAHopelessDialFailsAtOnce(t *testing.T) {
	ctx, cancel := context.WithTimeout(t.Context(), time.Hour) // not what ends it
	defer cancel()
	file := func(text string) string {
		dir := t.TempDir()
		require.NoError(t, os.WriteFile(filepath.Join(dir, "token"), []byte("tökn-0123456789abcdef0123456789\n"), 0o600))
		name := filepath.Join(dir, "cell.json")
		require.NoError(t, os.WriteFile(name, []byte(text), 0o600))
		return name
	}
	for name, x := range map[string]struct {
		target  string
		options []client.Option
		why     string
	}{
		"an address":           {"127.0.0.1:27841", nil, `target "127.0.0.1:27841" is neither a cell file nor a list of replicas: give ID=HOST:PORT,ID=HOST:PORT, the name of a cell file, dns:///NAME:PORT or dns+srv:///NAME: `},
		"nothing":              {"", nil, `target "" is neither a cell file nor a list of replicas: `},
		"no port":              {"1=127.0.0.1", nil, `address "127.0.0.1" of replica 1: give host:port`},
		"a port too high":      {"1=127.0.0.1:99999", nil, `address "127.0.0.1:99999" of replica 1: port "99999" is not a port: give a number from 1 to 65535`},
		"an empty port":        {"1=127.0.0.1:", nil, `port "" is not a port`},
		"plain, far away":      {"1=127.0.0.1:27841,2=192.0.2.1:7400", nil, "replica 2 at 192.0.2.1:7400 is not on the loopback interface, and the connection is plain: configure TLS, or permit"},
		"plain, far, by IPv6":  {"1=[2001:db8::1]:7400", nil, "replica 1 at [2001:db8::1]:7400 is not on the loopback interface"},
		"a bad principal":      {"1=127.0.0.1:27841", []client.Option{client.WithPrincipal("a b\n")}, `"a b\n" is not the name of a principal: give a word without spaces`},
		"a token of two lines": {"1=127.0.0.1:27841", []client.Option{client.WithToken("a\nb")}, "WithToken: a token consists of visible ASCII characters"},
		"a token with umlauts": {file(`{"replicas": {"1": "127.0.0.1:27841"}, "token_file": "token"}`), nil, "token: a token consists of visible ASCII characters"},
		"a name of no cell":    {file(`{"cell": "prüf", "replicas": {"1": "127.0.0.1:27841"}}`), nil, `cell "prüf": give a name of lower-case letters, digits and '-'`},
		"a bad Config":         {"1=127.0.0.1:27841", []client.Option{client.WithConfig(client.Config{Window: -1})}, "Window -1 is not within 0 to 128"},
		"another bad target":   {"1=127.0.0.1:27841", []client.Option{client.WithCell("far", "127.0.0.1:27842")}, `WithCell("far"): target "127.0.0.1:27842" is neither a cell file nor`},
		"another in DNS":       {"1=127.0.0.1:27841", []client.Option{client.WithCell("far", "dns:///far.example:7400")}, `WithCell("far"): dns:///far.example:7400 is a name in DNS: give the list of the replicas, or a cell file that has it`},
		"another, plain, far":  {"1=127.0.0.1:27841", []client.Option{client.WithPlain(), client.WithCell("far", "1=192.0.2.1:7400")}, `WithCell("far"): replica 1 at 192.0.2.1:7400 is not on the loopback interface`},
		"another's cell file":  {"1=127.0.0.1:27841", []client.Option{client.WithCell("far", file(`{"cell": "wide", "replicas": {"1": "127.0.0.1:27841"}}`))}, `WithCell("far"): the cell file is that of cell "wide"`},
		"another's options":    {"1=127.0.0.1:27841", []client.Option{client.WithCell("far", "1=127.0.0.1:27842", client.WithName("wide"))}, `WithCell("far"): WithName, WithCell, WithCells and WithConfig are options of Dial, not of a cell`},
		"another's Config":     {"1=127.0.0.1:27841", []client.Option{client.WithCell("far", "1=127.0.0.1:27842", client.WithConfig(client.Config{Window: 1}))}, `WithCell("far"): WithName, WithCell`},
		"another's token":      {"1=127.0.0.1:27841", []client.Option{client.WithCell("far", "1=127.0.0.1:27842", client.WithToken("a b\n"))}, `WithCell("far"): WithToken: a token consists of visible`},
		"another cell twice":   {"1=127.0.0.1:27841", []client.Option{client.WithCell("far", "1=127.0.0.1:27842"), client.WithCell("far", "1=127.0.0.1:27843")}, `WithCell("far"): the name is used twice`},
		"another local cell":   {"1=127.0.0.1:27841", []client.Option{client.WithCell("local", "1=127.0.0.1:27842")}, `cell name "local" is invalid, reserved or used twice`},
		"two with one name":    {"1=127.0.0.1:27841", []client.Option{client.WithName("far"), client.WithCell("far", "1=127.0.0.1:27842")}, `cell name "far" is invalid, reserved or used twice`},
		"replicas without any": {"1=127.0.0.1:27841", []client.Option{nil, client.WithCells(map[string][]uint32{"far": {9}})}, "WithCells: Dial does not know where these replicas are: give it each other cell by WithCell"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := client.Dial(ctx, x.target, x.options...)
			require.ErrorIs(t, err, client.ErrInvalid)
			require.ErrorContains(t, err, x.why)
			require.NotContains(t, err.Error(), "has not answered", "nothing was sent")
			require.NoError(t, ctx.Err())
		})
	}
}

// A replica that speaks TLS ends a plain connection without a word. The Client asks it once whether
// it does, and does not wait for a cell that it can never reach.
func TestAPlainDialToACellWithTLSFailsAtOnce(t *testing.T) {
	ctx, cancel := context.WithTimeout(t.Context(), time.Hour) // not what ends it
	defer cancel()
	secure := httptest.NewUnstartedServer(nil)
	secure.Config.ErrorLog = log.New(io.Discard, "", 0)
	secure.StartTLS()
	defer secure.Close()
	_, err := client.Dial(ctx, "1="+secure.Listener.Addr().String())
	require.ErrorIs(t, err, client.ErrInvalid)
	require.ErrorContains(t, err, "the replica speaks TLS, and the client has no ca: a cell file has it (ca, and cert and key or token_file), the authority that signed the server_cert of the replicas")
	require.NoError(t, ctx.Err())
}

// A name of a cell that the Client does not know is refused with what the Client can do about it.
func TestAnUnknownCellIsRefusedWithARemedy(t *testing.T) {
	_, c := newLoop()
	_, err := c.Open(t.Context(), "/ls/far/f", client.OpenOptions{})
	require.ErrorIs(t, err, client.ErrInvalid)
	require.True(t, strings.HasSuffix(err.Error(), "unknown cell far: name it with WithName or WithCells"), err)
}

// A cell file may have a '=' in its name or its directory, if the name is given with the directory.
func TestANameWithADirectoryIsACellFile(t *testing.T) {
	file := filepath.Join(t.TempDir(), "1=cell.json")
	require.NoError(t, os.WriteFile(file, []byte(`{"cell": "prod", "replicas": {"1": "h:1"}}`), 0o600))
	got, err := client.ParseTarget(file)
	require.NoError(t, err)
	require.Equal(t, client.Target{Cell: "prod", Replicas: map[uint32]string{1: "h:1"}}, got)
	got, err = client.ParseTarget("1=h:1,2=h:2")
	require.NoError(t, err)
	require.Equal(t, map[uint32]string{1: "h:1", 2: "h:2"}, got.Replicas)
}

// An editor's byte order mark is named as what it is.
func TestACellFileHasNoByteOrderMark(t *testing.T) {
	file := filepath.Join(t.TempDir(), "cell.json")
	require.NoError(t, os.WriteFile(file, []byte("\xef\xbb\xbf"+`{"cell": "prod", "replicas": {"1": "h:1"}}`), 0o600))
	_, err := client.ParseTarget(file)
	require.ErrorContains(t, err, file+" begins with a byte order mark")
}
