package peer

import (
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"maps"
	"net"
	"slices"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/chubbycell/chubby/paxos"
)

// mostCauses bounds what refusals remembers.
const mostCauses = 256

// refusals counts connections that were refused, by host and cause, so that a replica which tries again
// twice a second does not fill the log.
type refusals struct {
	mu    sync.Mutex
	count map[[2]string]int
}

// note counts one, and reports whether the log should have it: the 1st, 2nd, 4th, 8th and so on.
func (r *refusals) note(host, cause string) (isNews bool, n int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	key := [2]string{host, cause}
	if r.count == nil || len(r.count) >= mostCauses && r.count[key] == 0 {
		r.count = map[[2]string]int{}
	}
	r.count[key]++
	n = r.count[key]
	return n&(n-1) == 0, n
}

// forget has the next refusal of a host logged: one of its connections was good.
func (r *refusals) forget(host string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	maps.DeleteFunc(r.count, func(key [2]string, _ int) bool { return key[0] == host })
}

// logRefused logs why a connection from another replica, or what takes itself for one, was not accepted.
func (t *Transport) logRefused(remote net.Addr, err error) {
	host := hostOf(remote.String())
	isNews, n := t.refused.note(host, t.cfg.explain(err))
	if !isNews {
		return
	}
	log := t.cfg.Logger.With("remote", remote.String(), "times", n)
	if peers := t.cfg.peersAt(host); len(peers) > 0 {
		log = log.With("peers there", peers)
	}
	log.Error("connection refused", "err", t.cfg.explain(err))
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
		return fmt.Sprintf("it shows %s, which this replica does not accept: %s: see peer_cert there, and peer_ca here", names, unaccepted(unverified.Err))
	case errors.As(err, &plain):
		return fmt.Sprintf("it does not speak TLS, and this replica has peer_cert: give all members certificates, or none (%v)", plain)
	case errors.Is(err, errTLS):
		return "it speaks TLS, and this replica has no peer_cert: give all members certificates, or none"
	case strings.Contains(text, "remote error: tls:"):
		return fmt.Sprintf("%s: it does not accept the certificate of this replica: peer_ca there must have signed peer_cert here, for the name %s", text, MemberName(c.Cell, c.Self))
	case strings.Contains(text, "handshake") && (errors.Is(err, io.EOF) || errors.Is(err, syscall.ECONNRESET)):
		return text + ": the other side closed the connection: its log says why; all members have peer_cert, or none"
	}
	return text
}

// unaccepted is why a certificate was not accepted, the same text at each attempt: that of package x509 has the
// present time.
func unaccepted(err error) string {
	var invalid x509.CertificateInvalidError
	if errors.As(err, &invalid) && invalid.Reason == x509.Expired && invalid.Cert != nil {
		at := func(t time.Time) string { return t.UTC().Format(time.RFC3339) }
		return fmt.Sprintf("by the clock of this machine it is not valid now: it is from %s until %s", at(invalid.Cert.NotBefore), at(invalid.Cert.NotAfter))
	}
	return err.Error()
}
