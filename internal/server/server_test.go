package server_test

import (
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"path/filepath"
	"regexp"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/chubbycell/chubby/client"
	"github.com/chubbycell/chubby/internal/server"
	"github.com/chubbycell/chubby/internal/transport/loopback"
	"github.com/chubbycell/chubby/paxos"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// cell is servers of one process, on the loopback interface.
type cell struct {
	t       *testing.T
	dir     string
	cfgs    []server.Config
	servers map[uint32]*server.Server
	metrics *prometheus.Registry
}

func listen(t *testing.T) net.Listener {
	t.Helper()
	l, err := loopback.Listen()
	require.NoError(t, err)
	return l
}

func newCell(t *testing.T, n int) *cell { return newCellNamed(t, "test", n) }

func newCellNamed(t *testing.T, name string, n int) *cell {
	var clients []net.Listener
	for range n {
		clients = append(clients, listen(t))
	}
	return newCellAt(t, name, clients)
}

// newCellAt starts a cell with a replica for each listener.
func newCellAt(t *testing.T, name string, clients []net.Listener) *cell {
	return newCellOf(t, name, clients, func(*server.Config) {})
}

// newCellOf is newCellAt with more in the configuration.
func newCellOf(t *testing.T, name string, clients []net.Listener, more func(*server.Config)) *cell {
	n := len(clients)
	c := &cell{t: t, dir: t.TempDir(), servers: map[uint32]*server.Server{}, metrics: prometheus.NewRegistry()}
	members := map[uint32]string{}
	var peers []net.Listener
	for id := range uint32(n) {
		peers = append(peers, listen(t))
		members[id+1] = peers[id].Addr().String()
	}
	for i := range n {
		c.cfgs = append(c.cfgs, server.Config{
			Cell: name, ID: uint32(i + 1), Members: members, Dir: filepath.Join(c.dir, fmt.Sprint(i+1)),
			ListenClients: clients[i].Addr().String(), ListenHTTP: "127.0.0.1:0",
		})
		more(&c.cfgs[i])
		c.start(uint32(i+1), server.Options{Bootstrap: true, Peers: peers[i], Clients: clients[i]})
	}
	t.Cleanup(func() {
		for id := range uint32(n) {
			c.stop(id + 1)
		}
	})
	return c
}

func (c *cell) start(id uint32, o server.Options) {
	c.t.Helper()
	o.Registerer = c.metrics
	s, err := server.Start(c.cfgs[id-1], o)
	require.NoError(c.t, err)
	c.servers[id] = s
}

func (c *cell) stop(id uint32) {
	if s := c.servers[id]; s != nil {
		delete(c.servers, id)
		ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
		defer cancel()
		require.NoError(c.t, s.Stop(ctx))
		require.NoError(c.t, s.Wait())
	}
}

func (c *cell) target() (text string) {
	for _, cfg := range c.cfgs {
		text += fmt.Sprintf(",%d=%s", cfg.ID, cfg.ListenClients)
	}
	return text[1:]
}

func page(t *testing.T, s *server.Server, path string) (code int, text string) {
	t.Helper()
	r, err := http.Get("http://" + s.HTTPAddr().String() + path)
	require.NoError(t, err)
	body, err := io.ReadAll(r.Body)
	require.NoError(t, err)
	require.NoError(t, r.Body.Close())
	http.DefaultClient.CloseIdleConnections()
	return r.StatusCode, string(body)
}

func TestACellOfServersServesAndSurvivesTheStopOfEach(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	c := newCell(t, 3)
	for _, s := range c.servers {
		require.NoError(t, s.Ready(ctx))
	}
	cl, err := client.Dial(ctx, c.target(), client.WithPrincipal("ann"))
	require.NoError(t, err)
	f, err := cl.Open(ctx, "/ls/local/leader", client.OpenOptions{Rights: client.Write | client.Read, Create: client.CreateMay})
	require.NoError(t, err)
	lock, err := f.Acquire(ctx, client.Exclusive)
	require.NoError(t, err)
	for id := range uint32(3) {
		c.stop(id + 1)
		_, err := f.SetContents(ctx, fmt.Sprint("without ", id+1), 0)
		require.NoError(t, err)
		c.start(id+1, server.Options{})
	}
	require.NoError(t, lock.Err())
	left, ok := cl.LeaseLeft()
	require.True(t, ok)
	require.Positive(t, left)

	committed := false
	for _, s := range c.servers {
		require.NoError(t, s.Ready(ctx))
		code, text := page(t, s, "/readyz")
		require.Equal(t, http.StatusOK, code)
		require.Contains(t, text, "ready\nreplica ")
		require.Regexp(t, `(?m)^state [a-z]+`, text)
		require.Regexp(t, `(?m)^serving (true|false)$`, text)
		code, _ = page(t, s, "/livez")
		require.Equal(t, http.StatusOK, code)
		code, text = page(t, s, "/metrics")
		require.Equal(t, http.StatusOK, code)
		require.Regexp(t, `chubby_wal_bytes [1-9]`, text)
		require.Regexp(t, `(?m)^go_goroutines [1-9]`, text)
		require.Regexp(t, `(?m)^chubby_build_info\{commit="[^"]+"\} 1$`, text)
		require.Regexp(t, `(?m)^chubby_wal_syncs_total [1-9]`, text)
		require.Regexp(t, `(?m)^chubby_wal_sync_duration_seconds_count [1-9]`, text)
		require.Regexp(t, `(?m)^chubby_queue_messages\{queue="keepalives"\} \d+$`, text)
		require.Regexp(t, `(?m)^chubby_sessions 1$`, text)
		require.Regexp(t, `(?m)^chubby_lease_left_seconds \d`, text)
		committed = committed || regexp.MustCompile(`(?m)^chubby_commit_duration_seconds_count [1-9]`).MatchString(text)
		require.Regexp(t, `(?m)^chubby_cached_paths [0-9]+$`, text)
		require.Contains(t, text, `chubby_peer_connected{peer="`)
	}
	require.True(t, committed, "one of them has led")
	all, err := c.metrics.Gather()
	require.NoError(t, err)
	require.NotEmpty(t, all)
	require.NoError(t, cl.Close(ctx))
	require.NoError(t, cl.Close(ctx))
}

func TestDialSaysWhatIsWrong(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	for target, words := range map[string]string{
		"nowhere.json": "cell file", "0=a:1": `"0" is not the id`, "1=a:1,1=b:1": "replica 1 is named twice", "1=a": "give host:port",
	} {
		_, err := client.Dial(ctx, target)
		require.ErrorIs(t, err, client.ErrInvalid)
		require.ErrorContains(t, err, words)
	}
	l := listen(t)
	l.Close()
	short, cancelShort := context.WithTimeout(ctx, 300*time.Millisecond)
	defer cancelShort()
	_, err := client.Dial(short, "7="+l.Addr().String())
	require.ErrorIs(t, err, context.DeadlineExceeded)
	require.ErrorContains(t, err, "replica 7 at "+l.Addr().String())
	require.ErrorContains(t, err, "connection refused")

	c := newCell(t, 1)
	_, err = client.Dial(ctx, "2="+c.cfgs[0].ListenClients)
	require.ErrorIs(t, err, client.ErrInvalid)
	require.ErrorContains(t, err, "this is replica 1, not 2")
	_, err = client.Dial(ctx, c.target(), client.WithToken("guessed"))
	require.ErrorIs(t, err, client.ErrPermission)
	require.ErrorContains(t, err, "does not know the token")
	_, err = client.Dial(ctx, c.target(), client.WithConfig(client.Config{Window: -1}))
	require.ErrorIs(t, err, client.ErrInvalid)
	require.ErrorContains(t, err, "Window -1")
}

// A supervisor that asks at once after the start must not hear that the replica has ended, and start it again.
func TestAServerIsLiveFromItsStartOn(t *testing.T) {
	s := newCell(t, 1).servers[1]
	require.Equal(t, paxos.NodeID(1), s.Status().ID)
	code, text := page(t, s, "/livez")
	require.Equal(t, http.StatusOK, code, text)
}

func TestAServerThatKnowsNoLeaderIsNotReady(t *testing.T) {
	c := newCell(t, 3)
	c.stop(2)
	c.stop(3)
	s := c.servers[1]
	require.Eventually(t, func() bool { return s.Status().Leader == 0 && s.Status().ID == 1 }, 20*time.Second, time.Millisecond)
	code, text := page(t, s, "/readyz")
	require.Equal(t, http.StatusServiceUnavailable, code)
	require.Contains(t, text, "no leader is known")
	code, _ = page(t, s, "/livez")
	require.Equal(t, http.StatusOK, code)
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	require.ErrorIs(t, s.Ready(ctx), context.Canceled)
}
