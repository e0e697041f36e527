// Package model is test support: sequential specifications of key/value stores, registers, trees
// of files and locks, and what a model is. Package linearizability checks histories against them,
// and names all of this again.
//
// Reading order: model, codec; kv (kvstate, kvreplay, kvsettle, kvjson), register; number,
// statereplay: numbers that a system assigns; file (filestate, filestep, filesettle, filejson,
// filejsonout, filetext); lock (lockstate, lockstep, lockjson, locktext); words.
package model
