// Package lockfile is test support: it models a lock that is a file in a directory of an NFS
// server, by the common recipe [known] and the procedures of NFSv3, RFC 1813
// [doc]. It leaves out caches of attributes and of names at clients (up to 60 s), NLM and NFSv4
// with its leases, soft mounts, and the write of the owner's pid, which comes with the create.
//
// The algorithm:
//
//  1. open(lock, O_CREAT|O_EXCL)
//  2. made: held; EEXIST: sleep 1 s, then 1
//  3. release: unlink(lock), whatever file it is by then
//
// What step 1 is on the wire depends on client and server (mode). Procedures are sent again until
// they are answered; the server keeps its last answers in memory, and gives the same one to a
// call that comes again. Nothing ends a lock but its release, so people add a breaker: a
// client that finds the file older than S unlinks it, and goes to 1.
//
// There is no token: a number in the file would need an atomic read and write, which is what is
// missing.
//
// Reading order: server.go (what the server does), rpc.go (how clients call it), lock.go (what
// the client does), system.go (its card), breaks.go (N1 to N6).
package lockfile
