package peer

import (
	"bytes"
	"crypto/tls"
	"crypto/x509"
	"encoding/binary"
	"fmt"
	"io"
	"net"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/chubbycell/chubby/internal/logtest"
	"github.com/chubbycell/chubby/internal/transport/certtest"
	"github.com/chubbycell/chubby/internal/transport/loopback"
	"github.com/chubbycell/chubby/paxos"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// wait bounds what a test waits for.
const wait = 20 * time.Second

// text is a log of which a test waits for lines.
type text struct{ logtest.Log }

// says waits until the log has a line with all these words.
func (l *text) says(t *testing.T, words ...string) {
	t.Helper()
	require.Eventually(t, func() bool {
		for line := range bytes.Lines([]byte(l.String())) {
			all := true
			for _, w := range words {
				all = all && bytes.Contains(line, []byte(w))
			}
			if all {
				return true
			}
		}
		return false
	}, wait, time.Millisecond, "%q is not in:\n%v", words, l)
}

// end is one Transport and what it was given.
type end struct {
	*Transport
	cfg  Config
	addr string
	log  *text
	got  chan string
}

func listener(t *testing.T, addr string) net.Listener {
	t.Helper()
	l, err := net.Listen("tcp", addr)
	require.NoError(t, err)
	return l
}

func config(l net.Listener, id paxos.NodeID) (Config, *end) {
	e := &end{addr: l.Addr().String(), log: &text{}, got: make(chan string, 10_000)}
	c := Config{
		Cell: "test", Self: id, Peers: map[paxos.NodeID]string{}, Listener: l,
		Deliver: func(from paxos.NodeID, wire []byte) { e.got <- fmt.Sprintf("%d: %s", from, wire) },
		Logger:  e.log.Logger(), timing: defaultTiming(2),
	}
	c.timing.backoffMin, c.timing.backoffMax = time.Millisecond, 20*time.Millisecond
	return c, e
}

func (e *end) start(t *testing.T, c Config) *end {
	t.Helper()
	var err error
	e.cfg = c
	e.Transport, err = New(c)
	require.NoError(t, err)
	t.Cleanup(e.Close)
	return e
}

// two starts two replicas that know each other, changed by f before they start.
func two(t *testing.T, f func(a, b *Config)) (a, b *end) {
	la, err := loopback.Listen()
	require.NoError(t, err)
	lb, err := loopback.Listen()
	require.NoError(t, err)
	ca, a := config(la, 1)
	cb, b := config(lb, 2)
	ca.Peers[2], cb.Peers[1] = b.addr, a.addr
	if f != nil {
		f(&ca, &cb)
	}
	return a.start(t, ca), b.start(t, cb)
}

func (e *end) next(t *testing.T) string {
	t.Helper()
	select {
	case s := <-e.got:
		return s
	case <-time.After(wait):
		require.FailNow(t, "nothing came", "%v", e.log)
		return ""
	}
}

// connected waits until all peers can be reached.
func (e *end) connected(t *testing.T) {
	t.Helper()
	require.Eventually(t, func() bool {
		for _, s := range e.Status() {
			if !s.Connected {
				return false
			}
		}
		return true
	}, wait, time.Millisecond, "%v", e.log)
}

func TestDatagramsGoBothWaysInOrder(t *testing.T) {
	a, b := two(t, nil)
	a.connected(t)
	b.connected(t)
	for i := range 500 {
		a.Send(2, fmt.Append(nil, "to b ", i))
		b.Send(1, fmt.Append(nil, "to a ", i))
	}
	for i := range 500 {
		require.Equal(t, fmt.Sprint("1: to b ", i), b.next(t))
		require.Equal(t, fmt.Sprint("2: to a ", i), a.next(t))
	}
	large := bytes.Repeat([]byte("x"), a.cfg.MaxFrame+4<<20)
	a.Send(2, large)
	require.Equal(t, "1: "+string(large), b.next(t))
	require.Zero(t, a.Status()[0].Dropped)
}

func TestADatagramAboveTheLimitIsDroppedAloud(t *testing.T) {
	a, b := two(t, func(a, _ *Config) { a.MaxFrame = 100 })
	a.connected(t)
	a.Send(2, make([]byte, 101))
	a.Send(2, []byte("after"))
	require.Equal(t, "1: after", b.next(t))
	a.log.says(t, "level=ERROR", "above the limit", "bytes=101")
	require.EqualValues(t, 1, a.Status()[0].Dropped)
	a.Send(7, []byte("x"))
	a.log.says(t, "level=ERROR", "no peer", "peer=7")
}

func TestAPeerThatComesBackIsReachedAgain(t *testing.T) {
	a, b := two(t, nil)
	a.connected(t)
	b.Close()
	require.Eventually(t, func() bool { return !a.Status()[0].Connected }, wait, time.Millisecond)
	a.log.says(t, "level=WARN", "peer not connected")
	cb, again := config(listener(t, b.addr), 2)
	cb.Peers[1] = a.addr
	again.start(t, cb)
	require.Eventually(t, func() bool { return a.Status()[0].Connected }, wait, time.Millisecond)
	a.Send(2, []byte("hello again"))
	require.Equal(t, "1: hello again", again.next(t))
}

func TestWhatIsNotTheRightReplicaIsRefusedAloudOnBothSides(t *testing.T) {
	for name, c := range map[string]struct {
		change     func(a, b *Config)
		says, told []string
	}{
		"another cell": {func(a, _ *Config) { a.Cell = "other" },
			[]string{"this is cell", "test", "replica 1 is of cell", "other"}, []string{"refused by replica 2", "this is cell"}},
		"a stranger": {func(a, _ *Config) { a.Self = 9 },
			[]string{"replica 9 is no member of cell"}, []string{"refused by replica 2", "replica 9 is no member"}},
		"another replica": {func(a, b *Config) { a.Peers = map[paxos.NodeID]string{3: a.Peers[2]} },
			[]string{"this is replica 2, and replica 1 takes it for replica 3"}, []string{"takes it for replica 3"}},
	} {
		t.Run(name, func(t *testing.T) {
			a, b := two(t, c.change)
			b.log.says(t, append(c.says, "level=ERROR")...)
			a.log.says(t, append(c.told, "level=ERROR")...)
			for id := range a.cfg.Peers {
				a.Send(id, []byte("x"))
			}
			require.Empty(t, b.got)
		})
	}
}

// Replicas that do not agree about TLS say so, at both ends, with the likely cause; and not each time.
func TestTroubleWithCertificatesIsNamed(t *testing.T) {
	ours, others := certtest.New(t), certtest.New(t)
	secure := func(c *Config, id paxos.NodeID, own, accepted *certtest.Authority) {
		c.TLS = &tls.Config{Certificates: []tls.Certificate{own.Issue(t, "", MemberName("test", id))}, RootCAs: accepted.Pool}
	}
	for name, c := range map[string]struct {
		change func(a, b *Config)
		a, b   []string // what their logs have
	}{
		"one has no certificates": {func(a, _ *Config) { secure(a, 1, ours, ours) },
			[]string{"peer=2", "the other side closed the connection", "all members have peer_cert, or none"},
			[]string{"connection refused", `"peers there"=[1]`, "it speaks TLS, and this replica has no peer_cert"}},
		"the other way about": {func(_, b *Config) { secure(b, 2, ours, ours) },
			[]string{"peer=2", "the other side closed the connection", "all members have peer_cert, or none"},
			[]string{"connection refused", `"peers there"=[1]`, "it does not speak TLS, and this replica has peer_cert"}},
		"another authority": {func(a, b *Config) { secure(a, 1, ours, ours); secure(b, 2, others, others) },
			[]string{"peer=2", "it shows a certificate of", "replica-2.test", "see peer_cert there, and peer_ca here"},
			[]string{"connection refused", `"peers there"=[1]`, "it does not accept the certificate of this replica", "for the name replica-2.test, and it must be valid by the clock there"}},
	} {
		t.Run(name, func(t *testing.T) {
			a, b := two(t, c.change)
			a.log.says(t, c.a...)
			b.log.says(t, c.b...)
			b.log.says(t, append(c.b, "times=8")...)
			require.NotContains(t, b.log.String(), "times=7")
		})
	}
}

// The text of a certificate that has expired is the same at each attempt, so that the log has it rarely.
func TestAnExpiredCertificateIsOneCause(t *testing.T) {
	c := &x509.Certificate{DNSNames: []string{"replica-1.test"}, NotBefore: time.Unix(0, 0), NotAfter: time.Unix(86400, 0)}
	cfg := &Config{}
	for _, detail := range []string{"current time 1", "current time 2"} {
		said := cfg.explain(&tls.CertificateVerificationError{
			UnverifiedCertificates: []*x509.Certificate{c}, Err: x509.CertificateInvalidError{Cert: c, Reason: x509.Expired, Detail: detail},
		})
		require.Equal(t, `it shows a certificate of ["replica-1.test" ""], which this replica does not accept: by the clock of this machine `+
			`it is not valid now: it is from 1970-01-01T00:00:00Z until 1970-01-02T00:00:00Z: see peer_cert there, and peer_ca here`, said)
	}
}

func TestOtherProtocolsAndDamagedFramesEndTheConnection(t *testing.T) {
	cb, b := config(listener(t, "127.0.0.1:0"), 2)
	nowhere, err := loopback.Addr()
	require.NoError(t, err)
	cb.Peers[1] = nowhere // all connections of replica 1 are those of the test
	b.start(t, cb)
	dial := func() net.Conn {
		c, err := net.Dial("tcp", b.addr)
		require.NoError(t, err)
		require.NoError(t, c.SetDeadline(time.Now().Add(wait)))
		return c
	}
	c := dial()
	_, err = c.Write([]byte("GET / HTTP/1.1\r\n\r\n"))
	require.NoError(t, err)
	_, err = c.Read(make([]byte, 1))
	require.Error(t, err)
	c.Close()
	b.log.says(t, "level=ERROR", "connection refused", "does not speak the protocol between replicas")

	c = dial()
	require.NoError(t, hello{version: version + 1, from: 1, to: 2, cell: "test"}.write(c))
	a, err := readAnswer(c)
	require.NoError(t, err)
	require.Contains(t, a.reason, fmt.Sprintf("speaks versions %d to %d", oldest, version))
	require.Contains(t, a.reason, fmt.Sprintf("the other side version %d", version+1))
	c.Close()

	damaged := binary.BigEndian.AppendUint32(binary.BigEndian.AppendUint32(nil, 1), 0)
	for words, wire := range map[string][]byte{
		"a frame of 4294967295 bytes; at most": bytes.Repeat([]byte{255}, 8),
		"wrong checksum":                       append(damaged, 'x'),
		"within a frame":                       append(damaged[:3:3], 9, 0, 0, 0, 0, 'x'),
	} {
		c = dial()
		require.NoError(t, hello{version: version, from: 1, to: 2, cell: "test", formats: unsaid}.write(c))
		a, err = readAnswer(c)
		require.NoError(t, err)
		require.Equal(t, answer{version: version, id: 2, cell: "test", formats: unsaid}, a)
		_, err = c.Write(wire)
		require.NoError(t, err)
		_ = c.(*net.TCPConn).CloseWrite() // the other side may have closed it already
		_, err = io.ReadAll(c)
		if err != nil { // it was reset, as bytes were left unread
			require.ErrorContains(t, err, "reset")
		}
		b.log.says(t, "level=WARN", words)
		c.Close()
	}
	require.Empty(t, b.got)
}

func TestWrongConfigurationsAreRefusedWithAllFaults(t *testing.T) {
	_, err := New(Config{Peers: map[paxos.NodeID]string{0: "nowhere"}})
	for _, want := range []string{"cell name", "id of this replica is 0", "no listener", "no Deliver", "missing port"} {
		require.ErrorContains(t, err, want)
	}
	l := listener(t, "0.0.0.0:0")
	defer l.Close()
	c, _ := config(l, 1)
	_, err = New(c)
	require.ErrorContains(t, err, "not a loopback address")
	c.AllowPlain = true
	tr, err := New(c)
	require.NoError(t, err)
	tr.Close()
}

// Connections that say nothing, however many there are, keep no member out.
func TestStrangersThatSayNothingKeepNoMemberOut(t *testing.T) {
	lb, err := loopback.Listen()
	require.NoError(t, err)
	cb, b := config(lb, 2)
	cb.timing.maxAccepted, cb.timing.handshake = 3, time.Hour
	la, err := loopback.Listen()
	require.NoError(t, err)
	ca, a := config(la, 1)
	ca.Peers[2], cb.Peers[1] = b.addr, a.addr
	b.start(t, cb)
	var silent []net.Conn
	for range 10 {
		c, err := net.Dial("tcp", b.addr)
		require.NoError(t, err)
		defer c.Close()
		silent = append(silent, c)
	}
	require.NoError(t, silent[6].SetReadDeadline(time.Now().Add(wait)))
	_, err = silent[6].Read(make([]byte, 1))
	require.ErrorIs(t, err, io.EOF, "it made room")
	a.start(t, ca)
	a.connected(t)
	a.Send(2, []byte("x"))
	require.Equal(t, "1: x", b.next(t))
	b.log.says(t, "level=ERROR", "there are too many")
	for range 10 { // nor do they end its connection
		c, err := net.Dial("tcp", b.addr)
		require.NoError(t, err)
		defer c.Close()
	}
	a.Send(2, []byte("y"))
	require.Equal(t, "1: y", b.next(t))
}
