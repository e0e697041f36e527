// Package chubbyv1 is concurrent: the messages and stubs of the gRPC services chubby.v1.Cell and
// chubby.v1.Operator, generated from cell.proto and operator.proto. Package rpc uses them;
// programs use package client.
//
// After a change of these files make them again, with protoc or buf and these plugins, in the
// directory internal/transport/rpc:
//
//	go install google.golang.org/protobuf/cmd/protoc-gen-go@v1.36.12
//	go install google.golang.org/grpc/cmd/protoc-gen-go-grpc@v1.6.2
//	protoc --go_out=. --go_opt=paths=source_relative --go-grpc_out=. --go-grpc_opt=paths=source_relative chubbyv1/*.proto
//
// A test holds the generated descriptors to the text of the files.
package chubbyv1
