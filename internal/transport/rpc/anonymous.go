package rpc

import (
	"container/list"
	"context"
	"strings"
	"sync"
	"time"

	"google.golang.org/grpc/health/grpc_health_v1"
)

// Bounds of the calls of strangers. gRPC keeps up to maxMessage for each before its method is called.
const (
	mostAnonymous = 32
	anonymousTime = 5 * time.Second
)

// mayStrangersCall reports whether a method needs no authentication. Any other one does, also one that does not exist.
func mayStrangersCall(method string) bool {
	return strings.HasPrefix(method, "/grpc.health.v1.") || strings.HasPrefix(method, "/grpc.reflection.")
}

// anonymous are the calls that run, of callers that were not authenticated. Its methods are safe for concurrent use;
// the zero value is empty.
type anonymous struct {
	mu    sync.Mutex
	calls list.List // of context.CancelFunc, the oldest first
}

// admit notes a call, and returns the context that it is to have. If there are too many, it ends the oldest one: a
// health check needs a few milliseconds, so strangers whose calls do not end do not keep it out. A call of one message
// ends after anonymousTime; a stream may go on.
func (a *anonymous) admit(ctx context.Context, method string) context.Context {
	var cancel context.CancelFunc
	switch method {
	case grpc_health_v1.Health_Check_FullMethodName, grpc_health_v1.Health_List_FullMethodName:
		ctx, cancel = context.WithTimeout(ctx, anonymousTime)
	default:
		ctx, cancel = context.WithCancel(ctx)
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.calls.Len() >= mostAnonymous {
		a.calls.Remove(a.calls.Front()).(context.CancelFunc)()
	}
	call := a.calls.PushBack(cancel)
	context.AfterFunc(ctx, func() { // gRPC ends the context of each call
		a.mu.Lock()
		defer a.mu.Unlock()
		a.calls.Remove(call)
	})
	return ctx
}
