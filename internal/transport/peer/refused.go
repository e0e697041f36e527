package peer

import (
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"maps"
	"net"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/chubbycell/chubby/internal/transport/refused"
	"github.com/chubbycell/chubby/paxos"
)

// logRefused logs why a connection from another replica, or what takes itself for one, was not accepted.
func (t *Transport) logRefused(remote net.Addr, err error) {
	host := hostOf(remote.String())
	isNews, n, why := t.refused.Note(host, refused.Short(t.cfg.explain(err)), time.Now())
	if !isNews {
		return
	}
	log := t.cfg.Logger.With("remote", remote.String(), "times", n)
	if peers := t.cfg.peersAt(host); len(peers) > 0 {
		log = log.With("peers there", peers)
	}
	log.Error("connection refused", "err", why)
}

// logTooMany logs that there was no room for a connection beside n others; not each time.
func (t *Transport) logTooMany(remote net.Addr, n int) {
	if isNews, times, _ := t.refused.Note(hostOf(remote.String()), "too many", time.Now()); isNews {
		t.cfg.Logger.Error("connection refused: there are too many", "remote", remote, "connections", n, "times", times)
	}
}

// peersAt are the peers whose address has a host.
func (c *Config) peersAt(host string) (all []paxos.NodeID) {
	for _, id := range slices.Sorted(maps.Keys(c.Peers)) {
		if hostOf(c.Peers[id]) == host {
			all = append(all, id)
		}
	}
	return all
}

func hostOf(addr string) string {
	host, _, err := net.SplitHostPort(addr)
	if err != nil {
		return addr
	}
	return host
}

// explain is an error of a handshake, with its likely cause, and without the ports of this attempt.
func (c *Config) explain(err error) string {
	var unverified *tls.CertificateVerificationError
	var plain tls.RecordHeaderError
	text := err.Error()
	if op := new(net.OpError); errors.As(err, &op) && op.Op != "remote error" {
		text = strings.Replace(text, op.Error(), op.Op+": "+op.Err.Error(), 1)
	}
	switch {
	case errors.As(err, &unverified):
		names := "no certificate"
		if all := unverified.UnverifiedCertificates; len(all) > 0 {
			names = fmt.Sprintf("a certificate of %q", append(all[0].DNSNames, all[0].Subject.CommonName))
		}
		return fmt.Sprintf("it shows %s, which this replica does not accept: %s: see peer_cert there, and peer_ca here", names, refused.Unaccepted(unverified.Err))
	case errors.As(err, &plain):
		return fmt.Sprintf("it does not speak TLS, and this replica has peer_cert: give all members certificates, or none (%v)", plain)
	case errors.Is(err, errTLS):
		return "it speaks TLS, and this replica has no peer_cert: give all members certificates, or none"
	case strings.Contains(text, "remote error: tls:"):
		return fmt.Sprintf("%s: it does not accept the certificate of this replica: peer_ca there must have signed peer_cert here, for the name %s, and it must be valid by the clock there", text, MemberName(c.Cell, c.Self))
	case strings.Contains(text, "handshake") && (errors.Is(err, io.EOF) || errors.Is(err, syscall.ECONNRESET)):
		return text + ": the other side closed the connection: its log says why; all members have peer_cert, or none"
	}
	return text
}
