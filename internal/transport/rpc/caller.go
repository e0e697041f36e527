package rpc

import (
	"context"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/peer"
	"google.golang.org/grpc/status"
	"google.golang.org/grpc/tap"

	"github.com/chubbycell/chubby/replica/api"
)

// caller is the client that makes a call, and was authenticated.
type caller struct {
	who    api.Principal
	remote string
	// tokens are those by which it was authenticated, and renewed is closed when others have replaced them.
	tokens  *Tokens
	renewed <-chan struct{}
	// end ends the call.
	end context.CancelFunc
}

// callerKey is the key of the caller in the context of a call.
type callerKey struct{}

// callerOf returns the caller of a call, which tap has put into its context.
func callerOf(ctx context.Context) caller { return ctx.Value(callerKey{}).(caller) }

// tap decides by the metadata of a call whether it may begin, before anything of its body is read: a stranger has the
// replica keep no messages. gRPC calls it on the goroutine that reads the connection, so it must not block.
func (s *Server) tap(ctx context.Context, call *tap.Info) (context.Context, error) {
	c := caller{renewed: s.awaitTokens(), tokens: s.tokens.Load()} // before the client is asked who it is
	p, _ := peer.FromContext(ctx)
	c.remote = p.Addr.String()
	err := s.isAddressed(call.Header)
	if err == nil {
		c.who, err = s.authenticate(ctx, call.Header)
	}
	if err == nil && !s.connections.prove(p.Addr, c.who) {
		err = status.Errorf(codes.ResourceExhausted, "replica %d has as many connections as it takes, and no principal has more than %q", s.cfg.Replica, c.who)
	}
	switch {
	case err == nil:
		ctx, c.end = context.WithCancel(ctx) // gRPC ends the context of each call
		return context.WithValue(ctx, callerKey{}, c), nil
	case mayStrangersCall(call.FullMethodName):
		return s.anonymous.admit(ctx, call.FullMethodName), nil
	}
	s.logRefused(c.remote, status.Convert(err).Message())
	return ctx, err
}
