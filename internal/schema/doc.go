// Package schema is test support: it describes the JSON documents that commands print with
// -o json, each by a file in docs/schema, and holds both to each other.
//
// A Document is the name of a kind and the Go type that is encoded. Golden demands that the file
// is what is made of the type: names, types, what is always there, and the comments of the
// fields. So neither can change without the other. Accept demands that a text which a command
// really printed is of the kind that it names, and has no field that its file does not describe.
//
// To write the files anew: go test ./sim/simcmd ./cmd/chubby ./internal/cellcmd -run Schema -schema.write
//
// Reading order: document.go, describe.go (types to schemas), comment.go (descriptions), object.go.
package schema
