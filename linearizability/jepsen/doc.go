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
// Reading order: call.go, edn.go, log.go (files); rows.go, others.go (what operations mean).
package jepsen
