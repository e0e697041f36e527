package rpc

import (
	"context"
	"fmt"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/chubbycell/chubby/internal/transport/rpc/chubbyv1"
	"github.com/chubbycell/chubby/replica/api"
)

// Operator tells how a replica is, and sets limits. Its methods are called on goroutines of gRPC; who is the
// principal of the caller.
type Operator interface {
	Describe(ctx context.Context, who api.Principal) (*chubbyv1.ReplicaDescription, error)
	ListSessions(ctx context.Context, who api.Principal, q *chubbyv1.ListSessionsRequest) (*chubbyv1.SessionList, error)
	// SetLimits returns an error of gRPC; any other one is Unavailable.
	SetLimits(ctx context.Context, who api.Principal, q *chubbyv1.SetLimitsRequest) error
	// Backup returns an error as SetLimits does.
	Backup(ctx context.Context, who api.Principal) (*chubbyv1.BackupResponse, error)
	// Resign returns an error as SetLimits does.
	Resign(ctx context.Context, who api.Principal) (*chubbyv1.ResignResponse, error)
	// EndSession returns an error as SetLimits does.
	EndSession(ctx context.Context, who api.Principal, q *chubbyv1.EndSessionRequest) (*chubbyv1.EndSessionResponse, error)
}

// operatorServer is the service of an Operator.
type operatorServer struct {
	chubbyv1.UnimplementedOperatorServer
	s *Server
}

// caller says who calls, or why the call is refused: the token with which it began may be gone by now.
func (o operatorServer) caller(ctx context.Context) (api.Principal, error) {
	who := callerOf(ctx).who
	return who, o.s.isStill(ctx, who)
}

// Describe implements the service.
func (o operatorServer) Describe(ctx context.Context, _ *chubbyv1.DescribeRequest) (*chubbyv1.ReplicaDescription, error) {
	who, err := o.caller(ctx)
	if err != nil {
		return nil, err
	}
	d, err := o.s.cfg.Operator.Describe(ctx, who)
	return d, unavailable(err)
}

// ListSessions implements the service.
func (o operatorServer) ListSessions(ctx context.Context, q *chubbyv1.ListSessionsRequest) (*chubbyv1.SessionList, error) {
	who, err := o.caller(ctx)
	if err != nil {
		return nil, err
	}
	l, err := o.s.cfg.Operator.ListSessions(ctx, who, q)
	return l, unavailable(err)
}

// SetLimits implements the service.
func (o operatorServer) SetLimits(ctx context.Context, q *chubbyv1.SetLimitsRequest) (*chubbyv1.SetLimitsResponse, error) {
	who, err := o.caller(ctx)
	if err != nil {
		return nil, err
	}
	if err := o.s.cfg.Operator.SetLimits(ctx, who, q); err != nil {
		return nil, unavailable(err)
	}
	return &chubbyv1.SetLimitsResponse{}, nil
}

// Backup implements the service.
func (o operatorServer) Backup(ctx context.Context, _ *chubbyv1.BackupRequest) (*chubbyv1.BackupResponse, error) {
	who, err := o.caller(ctx)
	if err != nil {
		return nil, err
	}
	b, err := o.s.cfg.Operator.Backup(ctx, who)
	return b, unavailable(err)
}

// Resign implements the service.
func (o operatorServer) Resign(ctx context.Context, _ *chubbyv1.ResignRequest) (*chubbyv1.ResignResponse, error) {
	who, err := o.caller(ctx)
	if err != nil {
		return nil, err
	}
	r, err := o.s.cfg.Operator.Resign(ctx, who)
	return r, unavailable(err)
}

// EndSession implements the service.
func (o operatorServer) EndSession(ctx context.Context, q *chubbyv1.EndSessionRequest) (*chubbyv1.EndSessionResponse, error) {
	who, err := o.caller(ctx)
	if err != nil {
		return nil, err
	}
	r, err := o.s.cfg.Operator.EndSession(ctx, who, q)
	return r, unavailable(err)
}

// unavailable is the error of a replica that cannot answer, unless it says what it is.
func unavailable(err error) error {
	if err == nil {
		return nil
	}
	if _, is := status.FromError(err); is {
		return err
	}
	return status.Error(codes.Unavailable, err.Error())
}

// Describe asks a replica how it is. The error is that of the call.
func (c *Client) Describe(ctx context.Context, replica uint32) (*chubbyv1.ReplicaDescription, error) {
	w := c.way(replica)
	if w == nil {
		return nil, fmt.Errorf("unknown replica %d", replica)
	}
	d, err := chubbyv1.NewOperatorClient(w.conn).Describe(c.outgoing(ctx, replica), &chubbyv1.DescribeRequest{})
	return d, w.explain(ctx, err)
}

// ListSessions asks a replica for sessions. The error is that of the call.
func (c *Client) ListSessions(ctx context.Context, replica uint32, q *chubbyv1.ListSessionsRequest) (*chubbyv1.SessionList, error) {
	w := c.way(replica)
	if w == nil {
		return nil, fmt.Errorf("unknown replica %d", replica)
	}
	all, err := chubbyv1.NewOperatorClient(w.conn).ListSessions(c.outgoing(ctx, replica), q)
	return all, w.explain(ctx, err)
}

// SetLimits asks a replica to set limits. The error is that of the call.
func (c *Client) SetLimits(ctx context.Context, replica uint32, q *chubbyv1.SetLimitsRequest) error {
	w := c.way(replica)
	if w == nil {
		return fmt.Errorf("unknown replica %d", replica)
	}
	_, err := chubbyv1.NewOperatorClient(w.conn).SetLimits(c.outgoing(ctx, replica), q)
	return w.explain(ctx, err)
}

// Backup asks a replica to write a backup. The error is that of the call.
func (c *Client) Backup(ctx context.Context, replica uint32) (*chubbyv1.BackupResponse, error) {
	w := c.way(replica)
	if w == nil {
		return nil, fmt.Errorf("unknown replica %d", replica)
	}
	b, err := chubbyv1.NewOperatorClient(w.conn).Backup(c.outgoing(ctx, replica), &chubbyv1.BackupRequest{})
	return b, w.explain(ctx, err)
}

// Resign asks a replica to give up being the leader. The error is that of the call.
func (c *Client) Resign(ctx context.Context, replica uint32) (*chubbyv1.ResignResponse, error) {
	w := c.way(replica)
	if w == nil {
		return nil, fmt.Errorf("unknown replica %d", replica)
	}
	r, err := chubbyv1.NewOperatorClient(w.conn).Resign(c.outgoing(ctx, replica), &chubbyv1.ResignRequest{})
	return r, w.explain(ctx, err)
}

// EndSession asks a replica to end a session. The error is that of the call.
func (c *Client) EndSession(ctx context.Context, replica uint32, session uint64) (*chubbyv1.EndSessionResponse, error) {
	w := c.way(replica)
	if w == nil {
		return nil, fmt.Errorf("unknown replica %d", replica)
	}
	r, err := chubbyv1.NewOperatorClient(w.conn).EndSession(c.outgoing(ctx, replica), &chubbyv1.EndSessionRequest{Session: session})
	return r, w.explain(ctx, err)
}
