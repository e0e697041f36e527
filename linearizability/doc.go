// Package linearizability is test support: it checks histories of concurrent operations.
// It is pure, except that Porcupine, where it is asked for, runs in a goroutine.
//
// A history is linearizable if each operation can be given one instant between its call and
// its return such that, executed at these instants one after the other, the operations give
// the observed results (Herlihy and Wing 1990). CheckWitness verifies an order that the system
// proposes, and Check searches for one. Models exist for key/value stores, registers,
// sets, queues, file trees, locks and mutexes. Explain and WritePage show why a history is not linearizable. The package
// knows nothing else of the system, and can check histories of any system, also from files.
//
// # Two checks
//
// CheckWitness replays a proposed order, in linear time: the simulator knows in which log slot
// every operation took effect. Check searches for an order, partition by partition, within a
// budget of model steps, for histories without a witness; Porcupine can search instead, as a
// second opinion on those with one. A search cannot replace the witness: one lock used by
// twenty clients takes it minutes and gigabytes. A witness cannot replace the search: it relies
// on what the system reports about itself.
//
// Operations end in one of three ways: OutcomeOK with a result, OutcomeFailed (certainly no
// effect), OutcomeUnknown. A lost reply is unknown, never failed.
//
// # Reading order
//
// Package history: what is checked (histories.go names it here). Package model: against what
// (models.go). witness, order, witnesswhy: the first check. partition, check, search (with package
// search), porcupine: the second. prefix, explain, page: explanations. jsonl, jsonlread: files, with package strictjson; what stands in
// an input and in an output is a model's business. report, checkfile: everything in one call.
//
// # Checks of events
//
// Some properties are not about answers but about the order of events in true time or in a
// log, which only a simulator knows. Their checks take a list of events and return Findings,
// none if there is no violation:
//
//	CheckFencing     requests with tokens to a resource: none accepted below a token
//	                 accepted before; lost updates
//	CheckHoldClaims  intervals of true time in which clients claim to hold a lock
//	CheckExclusion   grants, releases and failures: compatible holders, lock-delays
//	                 kept, generations that grow
//	CheckSessions    promises, bounds and ends of sessions, and what is lost with them
//
// They are in package events (events.go names them here).
//
// # History files
//
// CheckFile reads histories of Jepsen and of Porcupine's tests, too: packages edn and jepsen,
// foreign.go. What follows is our own form.
//
// A file is JSON lines in UTF-8, one operation a line, in any order; empty lines
// are skipped. There is no byte order mark, and no field stands twice in an object.
// The first line may be a header; "model" may be left out:
//
//	{"format":"chubby-history","version":1,"model":"kv"}
//
// An operation, all its fields:
//
//	{"id":7,"client":3,"call":10,"return":14,"outcome":"ok",
//	 "input":{"op":"put","key":"g1/x","value":"a"},"output":{},
//	 "call_ns":1200000,"return_ns":1900000,"slot":5,"index":0,"concurrent":false}
//
//	id         names the operation in reports; by default its number from 0
//	client     the process that called: a number
//	call       event sequence number of the call; unique over calls and returns
//	return     the same of the return; left out when the outcome is unknown
//	outcome    "ok", "failed" (certainly no effect) or "unknown"; by default ok
//	           with a return and unknown without
//	input      what was asked, see below
//	output     what was answered, for outcome ok; with a slot and outcome unknown,
//	           what the witness says it gave
//	call_ns,   true times in nanoseconds, for reports only
//	return_ns
//	slot,      position in the witness; slots start at 1; left out when there is
//	index      none
//	concurrent the client may have several operations outstanding
//
// Stamps are numbers of events, not times: two events at one clock reading have
// an unknown order, and a checker must either miss violations or invent them.
// Where only times are known, number the events in time order, calls before
// returns where they are equal.
//
// Model kv:
//
//	{"op":"get","key":K}                          {"value":V or null}, or
//	                                              {"value":"","or_none":true}
//	{"op":"put","key":K,"value":V}                {} or left out
//	{"op":"append","key":K,"value":V}             {} or left out
//	{"op":"delete","key":K}                       {"found":true or false}
//	{"op":"cas","key":K,"expect":V or null,"value":V}
//	                                              {"ok":true}, or
//	                                              {"ok":false,"value":V or null};
//	                                              the value may be left out
//	{"op":"list","prefix":P}                      {"pairs":[[K,V],...]}
//
// null stands for "no such key"; a get with or_none cannot tell that from an empty value. A prefix holds a slash: a list reads keys of
// one group. Pairs are in key order.
//
// Models register and cas: {"op":"read"}, {"op":"write","value":V} and
// {"op":"cas","expect":V or null,"value":V}, with outputs as above. A field
// "key" tells several registers apart.
//
// Model set, where "key" may tell several apart, as it may in queue:
//
//	{"op":"add","value":V}                        {} or left out
//	{"op":"remove","value":V}                     {"found":true or false} or left out
//	{"op":"has","value":V}                        {"found":true or false}
//	{"op":"read"}                                 {"values":[V,...]}
//
// Model queue, first in, first out; null says that it was empty:
//
//	{"op":"enqueue","value":V}                    {} or left out
//	{"op":"dequeue"}                              {"value":V or null}
//
// Model mutex, where "key" may tell several apart. It knows no owner; lock, below, does:
//
//	{"op":"acquire"}                              {} or left out
//	{"op":"release"}                              {} or left out
//
// Model file, a tree of files and directories:
//
//	{"op":"open","path":P,"dir":D,"instance":N}     {"created":false,"stat":S}
//	{"op":"open","path":P,"dir":D,"instance":N,"create":"may" or "must",
//	 "kind":"file" or "directory","ephemeral":true,"contents":C,"names":A}
//	                                                {"created":true or false,"stat":S}
//	{"op":"get","path":P,"instance":N}              {"contents":C,"stat":S}
//	{"op":"stat","path":P,"instance":N}             {"stat":S}
//	{"op":"readdir","path":P,"instance":N,"after":NAME}
//	                                                {"children":[{"name":NAME,"stat":S},...],
//	                                                 "more":true or false}
//	{"op":"set","path":P,"instance":N,"contents":C,"when":G}
//	                                                {"stat":S}
//	{"op":"setacl","path":P,"instance":N,"names":A,"when":G}
//	                                                {"stat":S}
//	{"op":"delete","path":P,"instance":N}           {}
//	{"op":"lock","path":P,"instance":N}             {"stat":S}
//
// or, where it was refused, {"code":C}, with C "not found", "exists", "gone", "not
// empty", "not a directory", "is a directory" or "conflict"; a conflict has a stat
// too. A path is "/" or such as "/a/b". An instance names the one node that the
// caller means (of open: the one at "dir"); it may be left out, as may "dir",
// "ephemeral", "contents" and "names" of open, "after" and "when". "lock" says that
// the node's lock went from free to held. A, names of access control lists:
// ["read","write","change"]. S, the metadata, of which everything may be left out,
// which is not checked then; without "kind" there is no "ephemeral", "length",
// "checksum" or "children":
//
//	{"kind":"file","ephemeral":true,"instance":N,"content":G,"acl":G,"lock":G,
//	 "length":BYTES,"checksum":"XXH64 in hex","children":COUNT,"names":A}
//
// Instances and generations are numbers from 1 on that grow; which ones is the
// system's business.
//
// Model lock, where a lock is a path and an instance:
//
//	{"op":"acquire","path":P,"instance":N,"handle":H,"mode":M,"delay_ns":NS}
//	                                                {"gen":G,"acquisition":Q}
//	{"op":"try", as acquire}                        {"gen":G,"acquisition":Q}
//	{"op":"release","path":P,"instance":N,"handle":H,"acquisition":Q}
//	                                                {}
//	{"op":"close","path":P,"instance":N,"handle":H} {}
//	{"op":"fail","path":P,"instance":N,"handle":H,"began":B}
//	                                                {"delay_ns":NS}
//	{"op":"over","path":P,"instance":N,"began":B}   {}
//	{"op":"sequencer","path":P,"instance":N,"handle":H}
//	                                                {"mode":M,"gen":G}
//	{"op":"check","path":P,"instance":N,"mode":M,"gen":G}
//	                                                {}
//	{"op":"forget","path":P,"instance":N}           {}
//
// or, where it was refused, {"code":C}, with C "held", "delayed", "other mode",
// "not held", "stale" or "gone". M is "exclusive" or "shared". H names a handle,
// B, a number, the delay that begins when its holder fails; "over" ends it.
// "instance", "delay_ns", "acquisition" of release, and all of outputs but "mode"
// may be left out. "acquire" waits, so it is never "held" or "delayed". A handle that holds
// the lock is granted it again, and only it may release it.
//
// Keys, values, paths, handles and contents are strings; {"base64":"..."} stands for bytes
// that are not UTF-8, and a number for its own digits.
package linearizability
