// Package model is test support: it has the type Model, and sequential specifications of key/value stores, registers,
// sets, queues, trees of files, locks and mutexes. Package linearizability checks histories against them, and has
// aliases of all names here.
//
// Reading order: model.go, codec.go; kv.go (kvstate, kvreplay, kvsettle, kvrefute, kvjson), register.go; set.go
// (setjson), queue.go (queuepass, queuerefute, queuepropose), mutex.go; number.go and statereplay.go: numbers that a
// system assigns; file.go (filestate, filestep, filesettle, filejson, filejsonout, filetext); lock.go (lockstate,
// lockstep, lockjson, locktext); form.go, words.go.
package model
