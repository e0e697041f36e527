package model

// Codec turns inputs and outputs into JSON and back. A nil function stands for encoding/json, with strictjson.Decode for
// reading. Errors should start with the name of the wrong field ("key: missing").
type Codec[I, O any] struct {
	EncodeInput  func(in I) ([]byte, error)
	EncodeOutput func(in I, out O) ([]byte, error)
	DecodeInput  func(data []byte) (I, error)
	// DecodeOutput gets nil data if the line has no output.
	DecodeOutput func(in I, data []byte) (O, error)
}
