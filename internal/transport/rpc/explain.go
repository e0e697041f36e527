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
	"time"

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
func (w *way) explain(ctx context.Context, err error) error {
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
	switch last := w.handshake.Load(); {
	case strings.Contains(text, "server preface: ") && strings.Contains(text, "use of closed network connection"): // by a time-out
		return status.Error(codes.Unavailable, "the connection was accepted, and nothing came over it: the process is stopped or has no time, or it is no replica")
	case w.c.cfg.TLS == nil && strings.Contains(text, "server preface") && w.c.speaksTLS(ctx, w.addr): // EOF, or an alert of TLS
		return &TLSError{"the replica speaks TLS, and the client has no ca: a cell file has it (ca, and cert and key or token_file), the authority that signed the server_cert of the replicas"}
	case strings.Contains(text, "server preface: http2: "), strings.Contains(text, "unexpected HTTP status code"):
		return status.Error(codes.Unavailable, "a program answers that is no replica: look at the port")
	case w.c.cfg.TLS != nil && strings.Contains(text, "remote error: tls: ") && strings.Contains(text, "certificate"):
		return status.Errorf(codes.Unauthenticated, "the replica does not accept the certificate of the client: %s", alertIn(text))
	case last == nil || !strings.Contains(text, "handshake failed"): // it is of an earlier attempt
	case errors.As(*last, &unverified):
		return &TLSError{fmt.Sprintf("the certificate of the replica is not accepted: %v: see ca, which must be the authority that signed its server_cert (not peer_ca), and whether the certificate names %s and is still valid", unverified.Err, w.c.cfg.serverName(w.addr))}
	case errors.As(*last, &plain):
		return &TLSError{"the replica does not speak TLS, and the client has a ca: remove it, or look at the port"}
	}
	return status.Error(codes.Unavailable, text)
}

// alertIn is the alert of the other side's TLS in the text of an error.
func alertIn(text string) string {
	_, alert, _ := strings.Cut(text, "remote error: tls: ")
	if alert = strings.TrimRight(alert, `"`); alert == "expired certificate" { // so is called one that is not valid yet, too
		alert += ", or not valid yet by the clock there"
	}
	return alert
}

// probeTimeout bounds the connection of speaksTLS.
const probeTimeout = time.Second

// speaksTLS reports whether a server at addr answers a handshake of TLS, be it with a refusal. It
// opens a connection of its own and sends nothing that names the client. It blocks until ctx ends,
// for probeTimeout at most. A replica that ends a plain connection may also be one that stops,
// hence the question.
func (c *Client) speaksTLS(ctx context.Context, addr string) bool {
	ctx, cancel := context.WithTimeout(ctx, probeTimeout)
	defer cancel()
	conn, err := (&net.Dialer{Resolver: c.cfg.Resolver}).DialContext(ctx, "tcp", addr)
	if err != nil {
		return false
	}
	defer conn.Close()
	// The certificate is not looked at: nothing is sent to the server after the handshake.
	err = tls.Client(conn, &tls.Config{InsecureSkipVerify: true}).HandshakeContext(ctx)
	return err == nil || strings.Contains(err.Error(), "remote error: tls: ")
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
