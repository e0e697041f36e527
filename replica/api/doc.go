// Package api is pure: the requests of clients, the replies of replicas, and their encoding. It is
// the only part of the replica that a client imports.
//
// A client sends a Request to a replica and gets a Reply. Both are datagrams: each may be lost,
// delayed, duplicated and overtaken. A call is executed at most once because every copy of its
// request has the same name, (Session, Seq). The Code of the Result tells the client what became of
// the call, and Code.Execution tells it what it may conclude.
//
// Reading order: id.go, op.go (the ops, and the meaning of their answers), code.go (what an answer
// implies about execution), request.go, result.go, limit.go. Then the types for files: path.go,
// name.go, generation.go, stat.go, acl.go, ref.go, lock.go, sequencer.go, handle.go; and the ops on
// files: node_op.go, detail.go, keepalive.go, event.go. Then the codec: cursor.go, op_codec.go,
// node_op_codec.go, request_codec.go, result_codec.go, detail_codec.go, event_codec.go,
// stat_codec.go.
//
// # Bytes
//
// Numbers are unsigned varints in their shortest form, strings are a varint length and that many
// bytes, and a flag is one byte, 0 or 1. Each message has exactly one encoding: the decoders refuse
// any other bytes, and trailing bytes.
//
//	request  5 'Q' id session seq acked epoch may-cache op
//	reply    5 'A' id session seq epoch master cacheable drops result; drops after flag 1 only
//	op       1 nonce[0] nonce[1]            OpenSession
//	         2                              EndSession
//	         3 key                          Get
//	         4 key value                    Put
//	         5 key                          Delete
//	         6 key absent expect value      CompareAndSet
//	         7 prefix                       List
//	         8 token path rights u8 create u8 kind u8 ephemeral contents names delay events u8   Open
//	         9 to 12 token                  CloseHandle, Poison, GetContents, GetStat
//	         13 token after most            ReadDir
//	         14 token contents when         SetContents
//	         15 token names when            SetACL
//	         16 token                       DeleteNode
//	         17 token mode u8 wait          Acquire
//	         18 token acquisition           Release
//	         19 token seq                   CancelAcquire
//	         20 token                       GetSequencer
//	         21, 22 token sequencer         SetSequencer, CheckSequencer
//	         23 acked-epoch acked-events now n n*token   KeepAlive
//	result   code found value session n n*(key value) detail
//	detail   0                              none
//	         1 token ref created flag stat  Opened; the stat after flag 1 only
//	         2 stat                         NodeStat
//	         3 more children                Listing
//	         4 generation acquisition       Held
//	         5 sequencer                    Sequenced
//	         6 lease in ns, failover, n n*event, last event   Leased; the last event unless n is 0
//	names    read write change
//	ref      path instance
//	path     the string that Path.String prints
//	stat     kind ephemeral instance content lock acl length checksum children
//	         read write change
//	children n n*(name stat)                names ascend
//	event    kind u8 ref cause; then child change u8 of kind 2, mode u8 acquisition of kind 5;
//	         kind u8 path cause drop of kind 7, kind u8 cause drop of kind 8
//	sequencer 1 'S' path instance mode u8 generation
//
// The first byte is the version of the format; version.go has the versions that the program knows. Ops,
// results, paths and metadata have no version of their own: they are also parts of commands and of
// rows, which have one.
package api
