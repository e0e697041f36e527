package peer

import (
	"crypto/tls"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/chubbycell/chubby/internal/transport/certtest"
	"github.com/chubbycell/chubby/paxos"
)

// configOf is the TLS configuration of a member with this name.
func configOf(t *testing.T, a *certtest.Authority, name string) *tls.Config {
	return &tls.Config{Certificates: []tls.Certificate{a.Issue(t, "", name)}, RootCAs: a.Pool}
}

func TestMembersProveWhoTheyAre(t *testing.T) {
	ca := certtest.New(t)
	secure := func(nameA, nameB string) func(a, b *Config) {
		return func(a, b *Config) { a.TLS, b.TLS = configOf(t, ca, nameA), configOf(t, ca, nameB) }
	}
	name := func(id paxos.NodeID) string { return MemberName("test", id) }

	a, b := two(t, secure(name(1), name(2)))
	a.connected(t)
	a.Send(2, []byte("in secret"))
	require.Equal(t, "1: in secret", b.next(t))

	a, b = two(t, secure(name(3), name(2))) // 1 has the certificate of 3
	b.log.says(t, "level=ERROR", "replica 1 does not prove who it is", "replica-3.test")
	a.log.says(t, "level=ERROR", "does not prove who it is")

	a, _ = two(t, secure(name(1), MemberName("other", 2))) // 2 has a certificate of another cell
	a.log.says(t, "level=ERROR", "replica-2.other", "not replica-2.test")

	a, b = two(t, func(_, b *Config) { b.TLS = configOf(t, ca, name(2)) }) // 1 has no TLS at all
	b.log.says(t, "level=ERROR", "does not look like a TLS handshake")
	require.Empty(t, b.got)
	a.log.says(t, "level=ERROR", "it speaks TLS, and this replica has no peer_cert")

	stranger := certtest.New(t)
	a, b = two(t, func(a, b *Config) {
		a.TLS, b.TLS = configOf(t, stranger, name(1)), configOf(t, ca, name(2))
		a.TLS.RootCAs = b.TLS.RootCAs
	})
	b.log.says(t, "level=ERROR", "unknown authority")
	a.log.says(t, "level=ERROR", "it does not accept the certificate of this replica")
	b.log.says(t, "level=ERROR", "unknown authority", "times=8") // a has tried again and again
	require.Equal(t, 1, strings.Count(a.log.String(), "peer refused, or is not the peer"), "once, not at each attempt: %s", a.log)
}
