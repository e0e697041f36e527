// Package linearizability is test support: it checks histories of concurrent operations.
// It is pure, except that Porcupine, if requested, runs in a goroutine.
//
// A history is linearizable if each operation can be given one instant between its call and
// its return such that, executed at these instants one after the other, the operations give
// the observed results (Herlihy and Wing 1990). CheckWitness verifies an order that the system
// proposes, and Check searches for one. Models exist for key/value stores, registers, sets, queues,
// file trees, locks and mutexes. Explain and WritePage show why a history is not linearizable. The
// package knows nothing else of the system. It can check histories of any system, including
// histories from files.
//
// # Two checks
//
// CheckWitness replays a proposed order in linear time; the simulator knows in which log slot every
// operation took effect. Check is for histories without a witness. It searches for an order,
// partition by partition, within a budget of model steps; Porcupine can search instead, as a second
// opinion. A search cannot replace the witness: one lock used by twenty clients takes it minutes
// and gigabytes. A witness cannot replace the search: it relies on what the system reports about
// itself.
//
// Operations end in one of three ways: OutcomeOK with a result, OutcomeFailed (certainly no
// effect), OutcomeUnknown. A lost reply is unknown, never failed.
//
// # Reading order
//
// Package history has the histories (histories.go names its parts here), and package model what
// they are checked against (models.go). The first check is in witness, order and witnesswhy. The
// second is in partition, check, search (with package search) and porcupine. Explanations are in
// prefix, explain and page. Files are in jsonl and jsonlread, with package strictjson; each model
// defines its inputs and outputs. report and checkfile do everything in one call.
//
// # Checks of events
//
// Some properties are not about answers but about the order of events in true time or in a log,
// which only a simulator knows. The checks for them take a list of events and return Findings, none
// if there is no violation:
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
// CheckFile also reads histories of Jepsen and of Porcupine's tests: see packages edn and jepsen,
// and foreign.go. Our own form is as follows.
//
// A file is JSON lines in UTF-8, one operation per line, in any order; empty lines are skipped. A
// byte order mark is an error, and so is a repeated field in an object. The first line may be a
// header; "model" may be left out:
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
//	return     event sequence number of the return; left out when the outcome is unknown
//	outcome    "ok", "failed" (certainly no effect) or "unknown"; by default ok
//	           with a return and unknown without
//	input      the arguments of the call, see below
//	output     the result, for outcome ok; with a slot and outcome unknown,
//	           the result according to the witness
//	call_ns,   true times in nanoseconds, for reports only
//	return_ns
//	slot,      position in the witness; slots start at 1; left out when there is
//	index      none
//	concurrent the client may have several operations outstanding
//
// Stamps are numbers of events, not times: two events at one clock reading have an unknown order,
// and a checker must either miss violations or invent them. If only times are known, number the
// events in time order, and calls before returns at equal times.
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
// null stands for "no such key"; the result of a get with or_none may be that or an empty value. A
// prefix must contain a slash: a list reads keys of one group. Pairs are in key order.
//
// Models register and cas: {"op":"read"}, {"op":"write","value":V} and {"op":"cas","expect":V or
// null,"value":V}, with outputs as above. A field "key" distinguishes several registers.
//
// Model set; "key" may distinguish several, as in queue:
//
//	{"op":"add","value":V}                        {} or left out
//	{"op":"remove","value":V}                     {"found":true or false} or left out
//	{"op":"has","value":V}                        {"found":true or false}
//	{"op":"read"}                                 {"values":[V,...]}
//
// Values are in any order. No set has a value twice, so a read that returns one twice is illegal.
//
// Model queue, first in, first out; null means that it was empty:
//
//	{"op":"enqueue","value":V}                    {} or left out
//	{"op":"dequeue"}                              {"value":V or null}
//
// Model mutex; "key" may distinguish several. A mutex has no owner; in model lock, below, a lock has one:
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
// or, if the call was refused, {"code":C}, with C "not found", "exists", "gone", "not empty", "not
// a directory", "is a directory" or "conflict"; a conflict has a stat too. A path is "/" or, for
// instance, "/a/b". An instance identifies the one node that the caller means (for open: the one at
// "dir"). It may be left out, and so may "dir", "ephemeral", "contents" and "names" of open,
// "after" and "when". "lock" says that the node's lock went from free to held. A is the names of
// access control lists: ["read","write","change"]. S is the metadata. Any of its fields may be left
// out, and is then not checked; without "kind" there is no "ephemeral", "length", "checksum" or
// "children":
//
//	{"kind":"file","ephemeral":true,"instance":N,"content":G,"acl":G,"lock":G,
//	 "length":BYTES,"checksum":"XXH64 in hex","children":COUNT,"names":A}
//
// Instances and generations are numbers that start at 1 and grow; the system chooses them.
//
// Model lock; a path and an instance identify a lock:
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
// or, if the call was refused, {"code":C}, with C "held", "delayed", "other mode", "not held",
// "stale" or "gone". M is "exclusive" or "shared". H names a handle. B is a number and names the
// delay that begins when its holder fails; "over" ends the delay. "instance", "delay_ns",
// "acquisition" of release, and all of outputs except "mode" may be left out. "acquire" waits, so
// it is never "held" or "delayed". If a handle that holds the lock acquires it again, it is
// granted, and only that handle may release it.
//
// Keys, values, paths, handles and contents are strings; {"base64":"..."} stands for bytes
// that are not UTF-8, and a number for its own digits.
package linearizability
