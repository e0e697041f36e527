// Package jepsen is test support: it reads the histories of Jepsen and of Porcupine's tests, and translates their
// operations to the models of package model.
//
// There are two formats. EDN: maps with :process, :type (:invoke, :ok, :fail or :info), :f, :value, and
// optionally :key, :time (nanoseconds) and :error, one after the other or in one vector. Log: lines of jepsen.util
// with process, type, f, value and optionally an error, on the console or in jepsen.log; other lines are skipped. In both, operations of a process that is
// not a number, such as :nemesis, are skipped, and so is an :info of process nil. If events of clients have an :index, it
// may not decrease: a shuffled history would get the verdict of another one.
//
// If no operation has a :key, and the value of every invocation is a vector of two items, the first is the key and the
// second the value, as in Jepsen's independent tests. For a cas, the second item must be a vector of two itself.
// It is an error if some calls have a key and others have none, in either way, because these would be judged as calls on
// one object.
//
// Two values or keys are the same if they are equal by Clojure's =: 1, "1", \1 and :1 are four values, and 1 and 1.0 are
// two; [1 2] and (1 2) are one value, and so are 1e3 and 1000.0. nil stands for no value, but in model
// set it is an element like others. Model kv appends only strings.
//
// Locks: model mutex is Knossos' mutex, in which two acquires must have a release between them, whichever process
// calls. In model lock the holder is a process: it may acquire again what it holds, and no other process may release
// it. So only model mutex finds a service that grants one process twice by mistake.
//
// Reading order: call.go, edn.go, log.go (files); rows.go, others.go (what operations mean).
package jepsen
