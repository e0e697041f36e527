// Package jepsen is test support: it reads histories as Jepsen and Porcupine's tests keep them,
// and says what the operations of a history mean in the models of package model.
//
// Two forms. EDN: maps with :process, :type (:invoke, :ok, :fail or :info), :f, :value, and
// perhaps :key, :time (nanoseconds) and :error, one after the other or in one vector. A log:
// lines of jepsen.util with process, type, f, value and perhaps an error; other lines are
// passed over. Operations of a process that is no number, such as :nemesis, are passed over.
//
// If no operation has a :key and the value of every invocation is a vector of two, it is a
// key and a value, as Jepsen's independent tests have it; of a cas the second is such a vector
// itself.
//
// Values are those of Clojure, and equal where = says so: 1, "1", \1 and :1 are four values, as
// 1 and 1.0 are two; [1 2] and (1 2) are one, and so are 1e3 and 1000.0. So are keys. nil stands
// for no value. What kv appends is a string.
//
// Locks: model mutex is Knossos' mutex, in which no acquire follows an acquire without a release
// between, whichever process calls. In model lock the process is the holder: it is granted again
// what it holds, and no other process may release it. So a service that grants one process twice
// by mistake is found by mutex only.
//
// Reading order: call.go, edn.go, log.go (files); rows.go, others.go (what operations mean).
package jepsen
