// Package rpc is concurrent: it carries datagrams between client processes and replicas, over gRPC.
//
// The service is chubby.v1.Cell (chubbyv1/cell.proto). A client process keeps one stream
// to each replica that it talks to; the requests and replies of all its sessions, in the
// encoding of package replica/api, are the messages of these streams, and a number, the port,
// tells its clients apart. A stream is a bundle
// of datagrams: a message may be lost when its queue is full or the stream breaks, and
// the client sends again what was not answered. So there is no call of this service for
// each call of a client, and what a call may conclude does not depend on gRPC.
//
// The service chubby.v1.Operator (chubbyv1/operator.proto) tells how a replica is.
//
// Reading order: server.go (a replica), streams.go (how many clients there are), caller.go (how a call begins), auth.go (who a client is), tokens.go,
// version.go (which version of messages both sides know), anonymous.go (calls of strangers), connections.go (how many there are); client.go (a client process), port.go
// (clients that share its streams), link.go (its stream to one replica), way.go (an address, and the connection to it); explain.go (why a stream failed, in
// words); renew.go (certificates and tokens that change while both run); operator.go (both sides of the service for
// operators), identify.go (which replica has an address).
//
// # Metadata of a stream
//
//	chubby-cell       the cell that the client means; a replica of another one refuses
//	chubby-replica    the id of the replica that the client means; another one refuses; left out where
//	                  the client asks which replica it is
//	authorization     "Bearer TOKEN"
//	chubby-messages   the versions of messages that the program knows, such as 5-6; both sides say it, and
//	                  messages go out in the highest version that both know. Left out: 5-5
//	chubby-principal  the name that the client says, believed only where TrustNames is set;
//	                  chubby-principal-bin if it has other characters than visible ones of ASCII
//
// # Errors of a stream
//
//	Unauthenticated     no certificate, a wrong token, or no name
//	FailedPrecondition  another cell, another replica, or no version of messages that both know (VersionError); at the client also TLSError
//	ResourceExhausted   too many clients, or connections, or a message above api.MaxMessage
//	Unavailable         the replica stops, or cannot be reached
//
// # Too many clients
//
// When there are as many streams, or connections, as may be, a new one takes the place of the newest one of the principal
// that has the most. So one principal, however many it opens, keeps no other out.
//
// # Goroutines
//
//	goroutine               owns              may block on       stopped by
//	gRPC's own              connections       the network        Server.Stop, Client.Close
//	two a stream (server)   the stream        the network        the stream's end, Server.Stop
//	one a replica (client)  the link          the network        Client.Close
//	one a stream (client)   what comes in     the network        the stream's end
//
// # Strangers
//
// The server also serves grpc.health.v1 (SERVING while the replica knows a master) and server reflection, to
// strangers, too. All other calls are refused by their metadata, before a message is read. What strangers may take is
// bounded: of calls and of connections there are so many at most, and the oldest of a stranger makes room for a new
// one. A call that made room fails with Canceled, a health check that takes too long with DeadlineExceeded.
package rpc
