package rpc

import (
	"cmp"
	"context"
	"fmt"
	"strings"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/credentials"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/peer"
	"google.golang.org/grpc/status"

	"github.com/chubbycell/chubby/replica/api"
)

// The metadata of a stream.
const (
	keyCell      = "chubby-cell"
	keyReplica   = "chubby-replica"
	keyToken     = "authorization"
	keyPrincipal = "chubby-principal"
	keyMessages  = "chubby-messages"
	bearer       = "Bearer "

	asBytes = "-bin" // at the end of a key: gRPC carries any value
)

// isPlain reports whether a key without asBytes can carry the text: it consists of visible ASCII characters.
func isPlain(text string) bool {
	return !strings.ContainsFunc(text, func(r rune) bool { return r <= ' ' || r > '~' })
}

// first returns the first value of a key, or "".
func first(md metadata.MD, key string) string {
	if all := md.Get(key); len(all) > 0 {
		return all[0]
	}
	return ""
}

// authenticate says who the client of a stream is: the common name of its certificate, or
// else the principal of its token, or else, where that is believed, the name that it says.
func (s *Server) authenticate(ctx context.Context, md metadata.MD) (api.Principal, error) {
	who, how := s.identify(ctx, md)
	switch {
	case who == "":
		return "", status.Error(codes.Unauthenticated, how)
	case who.Check() != api.OK:
		return "", status.Errorf(codes.Unauthenticated, "%s is %q, which cannot be the name of a principal", how, who)
	}
	return who, nil
}

// identify returns a principal and where it comes from, or "" and why there is none.
func (s *Server) identify(ctx context.Context, md metadata.MD) (who api.Principal, how string) {
	if p, ok := peer.FromContext(ctx); ok {
		if info, ok := p.AuthInfo.(credentials.TLSInfo); ok && len(info.State.VerifiedChains) > 0 {
			if name := info.State.VerifiedChains[0][0].Subject.CommonName; name != "" {
				return api.Principal(name), "the common name of the certificate"
			}
			return "", "the certificate has no common name, which is the principal"
		}
	}
	if text := first(md, keyToken); text != "" {
		if token, ok := strings.CutPrefix(text, bearer); ok && s.tokens.Load() != nil {
			if who, ok := s.tokens.Load().find(token); ok {
				return who, "the principal of the token"
			}
		}
		return "", "the replica does not know the token"
	}
	if s.cfg.TrustNames {
		if name := cmp.Or(first(md, keyPrincipal), first(md, keyPrincipal+asBytes)); name != "" {
			return api.Principal(name), "the name that the client says"
		}
		return "", fmt.Sprintf("the client says no name (metadata key %s)", keyPrincipal)
	}
	if s.cfg.TLS == nil || s.cfg.TLS.ClientCAs == nil {
		return "", "the client shows no token"
	}
	// A client of Go sends no certificate of an authority that the server does not name.
	return "", "the client shows neither a certificate nor a token; if it has a certificate, that is not of an authority that the replica accepts"
}

// isAddressed refuses a stream that is meant for another cell or replica.
func (s *Server) isAddressed(md metadata.MD) error {
	if cell := first(md, keyCell); cell != "" && cell != s.cfg.Cell {
		return status.Errorf(codes.FailedPrecondition, "this is a replica of cell %q, not of %q: the addresses of the cell have changed, or are wrong", s.cfg.Cell, cell)
	}
	if id := first(md, keyReplica); id != "" && id != fmt.Sprint(s.cfg.Replica) {
		return status.Errorf(codes.FailedPrecondition, "this is replica %d, not %s: the addresses of the replicas are mixed up", s.cfg.Replica, id)
	}
	return nil
}
