// Package zookeeper is test support: it models the lock recipe with ephemeral sequential nodes, of
// the documentation of ZooKeeper 3.9 [doc], on sessions as its server and client keep them [src] and
// with Curator 5 on top [iss]. It leaves out the ensemble (one server that never fails stands for
// it), paths, data, access lists, local sessions, and reads from a follower that lags: a client that
// created a node reads at least up to it.
//
// The algorithm:
//
//  1. create lock/guid-lock-, ephemeral and sequential; if the connection is lost meanwhile,
//     look for the guid among the children, and create only if it is not there
//  2. list the children; the own node is the lowest: held
//  3. watch the next lower node; when it is gone, 2
//  4. release: delete the own node
//
// A session of timeout T lives as long as the server hears from it: it ends at the next
// multiple of the tick after T of silence. The client pings every T/3, calls itself disconnected
// after 2T/3 without an answer, and learns that its session is over from the server, or by its own
// clock after 4T/3 (since 3.9.3) or after T (Curator, which then opens a session of its own accord).
//
// Reading order: server.go, session.go (the client's part of a session), recipe.go (the client's
// part of the lock), system.go (the card), breaks.go (Z1 to Z6).
package zookeeper
