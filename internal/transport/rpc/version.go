package rpc

import (
	"fmt"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/status"

	"github.com/chubbycell/chubby/internal/versions"
	"github.com/chubbycell/chubby/replica/api"
)

// unsaid are the versions of messages that a program knows which says none: all such programs knew just this one.
var unsaid = versions.Range{Oldest: 5, Newest: 5}

// VersionError is why a client and a replica cannot talk: no version of the messages is known to both of their programs.
// Trying again is of no use before one of the programs is replaced. It has the code FailedPrecondition.
type VersionError struct{ Client, Replica versions.Range }

// Error names the older program, and says what to do.
func (e *VersionError) Error() string {
	older := "the client has the older program: start it with a newer one, such as that of the replica"
	if e.Replica.IsOlder(e.Client) {
		older = "the replica has the older program: replace the program of the replicas first, or use an older client"
	}
	return fmt.Sprintf("the client and the replica are of different versions: the client knows version %v of the messages, and the replica %v; %s (chubby version)", e.Client, e.Replica, older)
}

// GRPCStatus is the error as one of gRPC.
func (e *VersionError) GRPCStatus() *status.Status {
	return status.New(codes.FailedPrecondition, e.Error())
}

// formats are the versions of messages that one side of a stream knows, and how it makes an older one of its newest. The
// zero value stands for those of package api.
type formats struct {
	known     versions.Range
	translate func(msg []byte, to byte) ([]byte, error)
}

func (f *formats) setDefault() {
	if f.known.IsEmpty() {
		*f = formats{versions.Range{Oldest: api.OldestVersion, Newest: api.NewestVersion}, api.Translate}
	}
}

// in returns a message, which has the newest version, in another one.
func (f *formats) in(v byte, msg []byte) ([]byte, error) {
	if v == f.known.Newest {
		return msg, nil
	}
	out, err := f.translate(msg, v)
	if err != nil {
		return nil, status.Errorf(codes.Internal, "a message has no form in version %d: %v", v, err)
	}
	return out, nil
}

// said are the versions that the other side of a stream says it knows.
func said(md metadata.MD) (versions.Range, error) {
	text := first(md, keyMessages)
	if text == "" {
		return unsaid, nil
	}
	r, err := versions.Parse(text)
	if err != nil {
		return r, status.Errorf(codes.InvalidArgument, "metadata key %s: %v", keyMessages, err)
	}
	return r, nil
}
