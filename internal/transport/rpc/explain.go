package rpc

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"net"
	"regexp"
	"strconv"
	"strings"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/credentials"
	"google.golang.org/grpc/status"
)

// TLSError is why a replica is not reached with the certificates, or without those, that the client is
// configured with: trying again is of no use before that changes. It has the code FailedPrecondition.
type TLSError struct{ text string }

// Error says what is wrong, and what to look at.
func (e *TLSError) Error() string { return e.text }

// GRPCStatus is the error as one of gRPC.
func (e *TLSError) GRPCStatus() *status.Status { return status.New(codes.FailedPrecondition, e.text) }

// explain adds to the error of a call or stream what gRPC does not know, and takes away the words in which
// gRPC wraps those of the network.
func (l *link) explain(err error) error {
	text := plain(status.Convert(err).Message())
	switch status.Code(err) {
	case codes.Unavailable:
	case codes.DeadlineExceeded:
		return status.Error(codes.DeadlineExceeded, text)
	default:
		return err
	}
	var unverified *tls.CertificateVerificationError
	var plain tls.RecordHeaderError
	switch last := l.handshake.Load(); {
	case strings.Contains(text, "server preface: ") && strings.Contains(text, "use of closed network connection"): // by a time-out
		return status.Error(codes.Unavailable, "the connection was accepted, and nothing came over it: the process is stopped or has no time, or it is no replica")
	case l.c.cfg.TLS == nil && strings.Contains(text, "server preface"): // EOF, or an alert of TLS
		return status.Errorf(codes.Unavailable, "%s (the client has no ca, and so speaks without TLS: does the replica want TLS?)", text)
	case l.c.cfg.TLS != nil && strings.Contains(text, "remote error: tls: ") && strings.Contains(text, "certificate"):
		_, alert, _ := strings.Cut(text, "remote error: tls: ")
		return status.Errorf(codes.Unauthenticated, "the replica does not accept the certificate of the client: %s", strings.TrimRight(alert, `"`))
	case last == nil || !strings.Contains(text, "handshake failed"): // it is of an earlier attempt
	case errors.As(*last, &unverified):
		host, _, _ := net.SplitHostPort(l.addr)
		return &TLSError{fmt.Sprintf("the certificate of the replica is not accepted: %v: see ca, the authority of the replicas, and whether the certificate names %s and is still valid", unverified.Err, host)}
	case errors.As(*last, &plain):
		return &TLSError{"the replica does not speak TLS, and the client has a ca: remove it, or look at the port"}
	}
	return status.Error(codes.Unavailable, text)
}

// frame is what gRPC puts around the error of a connection. framed and dialed are what it has
// within: the error of the network has the address, which stands elsewhere.
var (
	frame  = regexp.MustCompile(`(?:.*: )?connection error: desc = ("(?:[^"\\]|\\.)*")`)
	framed = regexp.MustCompile(`^transport: (?:Error while dialing: )?`)
	dialed = regexp.MustCompile(`^dial tcp \S+: (?:connect: )?`)
)

// plain is the text of an error of gRPC without its frames.
func plain(text string) string {
	switch text {
	case "context deadline exceeded":
		return "no answer in time"
	case "context deadline exceeded while waiting for connections to become ready":
		return "no connection in time"
	}
	at := frame.FindStringSubmatchIndex(text)
	if at == nil {
		return text
	}
	inner, err := strconv.Unquote(text[at[2]:at[3]])
	if err != nil {
		return text
	}
	return dialed.ReplaceAllString(framed.ReplaceAllString(inner, ""), "") + text[at[1]:]
}

// noting are credentials that keep the end of the last handshake.
type noting struct {
	credentials.TransportCredentials
	note func(error)
}

// ClientHandshake implements credentials.TransportCredentials.
func (n noting) ClientHandshake(ctx context.Context, authority string, conn net.Conn) (net.Conn, credentials.AuthInfo, error) {
	secured, info, err := n.TransportCredentials.ClientHandshake(ctx, authority, conn)
	n.note(err)
	return secured, info, err
}

// Clone implements credentials.TransportCredentials.
func (n noting) Clone() credentials.TransportCredentials {
	return noting{n.TransportCredentials.Clone(), n.note}
}
