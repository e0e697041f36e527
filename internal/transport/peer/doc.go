// Package peer is concurrent: it carries datagrams between the replicas of a cell, over TCP.
//
// A Transport listens for the other replicas, and keeps one connection of its own to each
// of them. Datagrams go out on the own connections and come in on the accepted ones, so a
// pair of replicas has two, and neither side waits for the other. A datagram may be lost,
// and is never damaged or sent on from another cell: each frame has a checksum, and each
// connection begins with a handshake.
//
// Reading order: config.go, peer.go (the Transport), hello.go (the handshake), formats.go (what two programs know), frame.go,
// link.go (connections to others), reach.go (to their hosts), accept.go (connections from others), refused.go (why one was not
// accepted, in words).
//
// # Bytes
//
// All numbers are big endian. The replica that dials sends a hello, and the other one
// answers it; a refusal has a reason, and both sides log it as an error.
//
//	hello   "chubbypr" version u16  from u32  to u32  n u8 cell  disk [16]  identity u64  formats [4]
//	answer  "chubbypr" version u16  id u32            n u8 cell  m u16 reason  disk [16]  identity u64  formats [4]   accepted if m is 0
//	formats the oldest and the newest version of messages that the program knows, and those of commands, u8 each
//	frame   length u32  CRC-32C of the payload u32  payload                                a sign of life if length is 0
//
// This is version 4. Version 3 has no formats, version 2 no identities, version 1 no disks either. A replica that does not know a version refuses
// it, naming its own newest one, and is dialed again in that one.
//
// # Goroutines
//
//	goroutine       owns                      may block on                     stopped by
//	listen          the listener              Accept                           Close
//	one a receiver  an accepted connection    the network, Config.Deliver      Close, silence, a newer connection
//	one a link      a connection to a peer    the network                      Close
//	one a watch     nothing                   a read of the link's connection  the link closing it
//	one an address  an attempt to connect     the network                      Close, another one that connects, the time of an attempt
//
// # Loss
//
// Send never blocks. Each link has a queue that is bounded in number and bytes; when it is
// full the oldest datagrams are dropped, because later ones say more. What is queued while
// a peer cannot be reached is dropped after each attempt: the protocol repeats what still
// matters.
//
// # Who may connect
//
// With Config.TLS both sides prove by certificate that they are the member that they say:
// the certificate has the DNS name of MemberName. Without TLS a hello is believed, so
// plain connections are refused unless both ends are on the loopback interface, or
// Config.AllowPlain says that the network is trusted.
//
// A replica whose disk was wiped has forgotten what it promised, and looks like a new one. So each
// side names its disk in the handshake, and Config.Meet may refuse a peer whose disk it was not before.
//
// Two cells of one name must not mix: if one member has the rows of a restored cell and the others were founded anew, what
// the others wrote would be lost when they meet. So each side says the identity of its cell in the handshake, as soon as
// it has one, and refuses another one. A replica that gets an identity makes its connections again before it sends more.
//
// # Two programs
//
// While a cell is upgraded, its replicas run two programs. Each side says in the handshake which versions of datagrams and
// of commands of the log its program knows; one that says none knows version 2 of the first and version 3 of the second.
// Datagrams go out in the highest version that both know. Two replicas that have none in common refuse each other, and so
// does a replica whose cell uses a version of commands that the other one does not know.
package peer
