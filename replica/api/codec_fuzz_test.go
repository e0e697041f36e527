package api_test

import (
	"bytes"
	"testing"

	"github.com/chubbycell/chubby/replica/api"
)

// What decodes encodes to the same bytes: one message, one form.
func FuzzDecodeRequest(f *testing.F) {
	for _, g := range goldenRequests {
		f.Add(unhex(f, g.hex))
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		q, err := api.DecodeRequest(b)
		if err != nil {
			return
		}
		if again := api.AppendRequest(nil, q); !bytes.Equal(b, again) {
			t.Fatalf("%x decodes to %+v, which encodes to %x", b, q, again)
		}
		if c := q.Check(); c != api.OK && c != api.Invalid && c != api.TooLarge {
			t.Fatalf("check of %+v is %v", q, c)
		}
	})
}

func FuzzDecodeReply(f *testing.F) {
	for _, g := range goldenReplies {
		f.Add(unhex(f, g.hex))
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		p, err := api.DecodeReply(b)
		if err != nil {
			return
		}
		if again := api.AppendReply(nil, p); !bytes.Equal(b, again) {
			t.Fatalf("%x decodes to %+v, which encodes to %x", b, p, again)
		}
	})
}
