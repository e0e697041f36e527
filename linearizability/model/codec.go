package model

// Codec turns inputs and outputs into JSON and back. A nil function stands for
// encoding/json, strict about unknown fields. Errors should start with the name
// of the field they are about ("key: missing").
type Codec[I, O any] struct {
	EncodeInput  func(in I) ([]byte, error)
	EncodeOutput func(in I, out O) ([]byte, error)
	DecodeInput  func(data []byte) (I, error)
	// DecodeOutput is given nil data when the line has no output.
	DecodeOutput func(in I, data []byte) (O, error)
}
