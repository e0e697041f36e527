package rpc

import (
	"crypto/tls"
	"errors"
	"fmt"
	"net"
	"strings"
	"time"

	"google.golang.org/grpc/credentials"

	"github.com/chubbycell/chubby/internal/transport/refused"
)

// watching are credentials of a server that tell of handshakes that failed, which gRPC keeps to itself.
type watching struct {
	credentials.TransportCredentials
	note func(remote net.Addr, err error)
}

// ServerHandshake implements credentials.TransportCredentials.
func (w watching) ServerHandshake(conn net.Conn) (net.Conn, credentials.AuthInfo, error) {
	secured, info, err := w.TransportCredentials.ServerHandshake(conn)
	if err != nil {
		w.note(conn.RemoteAddr(), err)
	}
	return secured, info, err
}

// Clone implements credentials.TransportCredentials.
func (w watching) Clone() credentials.TransportCredentials {
	return watching{w.TransportCredentials.Clone(), w.note}
}

// noteHandshake logs a handshake that failed for a reason that an operator can mend. Probes that only connect
// have none.
func (s *Server) noteHandshake(remote net.Addr, err error) {
	if why := handshakeTrouble(err); why != "" {
		s.logRefused(remote.String(), why)
	}
}

// handshakeTrouble is why a handshake failed, the same text each time; empty: the connection ended.
func handshakeTrouble(err error) string {
	var plain tls.RecordHeaderError
	var unverified *tls.CertificateVerificationError
	switch text := err.Error(); {
	case errors.As(err, &plain):
		return "it does not speak TLS, and this replica has server_cert: the client needs the ca of the replicas"
	case errors.As(err, &unverified):
		return fmt.Sprintf("its certificate is not accepted: %s: see client_ca here", refused.Unaccepted(unverified.Err))
	case strings.Contains(text, "remote error: tls: "):
		alert := alertIn(text)
		if !strings.Contains(alert, "certificate") {
			return "it ended the handshake of TLS: " + alert
		}
		return fmt.Sprintf("it does not accept the certificate of this replica: %s: see ca there, and server_cert here", alert)
	}
	return ""
}

// logRefused logs that a client was refused, and why; not each time.
func (s *Server) logRefused(remote, why string) {
	host, _, err := net.SplitHostPort(remote)
	if err != nil {
		host = remote
	}
	if isNews, n, why := s.refused.Note(host, refused.Short(why), time.Now()); isNews {
		s.cfg.Logger.Warn("client refused", "remote", remote, "times", n, "err", why)
	}
}
