package api_test

import (
	"strings"
	"testing"

	"github.com/chubbycell/chubby/replica/api"
)

// The codec, on a request and a reply that carry a value of 100 bytes.
func BenchmarkCodec(b *testing.B) {
	value := strings.Repeat("v", 100)
	q := api.Request{ID: 1 << 20, Session: 1 << 16, Seq: 1 << 10, AckedThrough: 1<<10 - 1, Op: api.Put{Key: "group/key", Value: value}}
	p := api.Reply{ID: 1 << 20, Session: 1 << 16, Seq: 1 << 10, Epoch: 7, Master: 3,
		Result: api.Result{Code: api.OK, Found: true, Value: value}}
	request, reply := api.AppendRequest(nil, q), api.AppendReply(nil, p)
	var dst []byte
	for _, c := range []struct {
		name string
		do   func() error
	}{
		{"append/request", func() error { dst = api.AppendRequest(dst[:0], q); return nil }},
		{"decode/request", func() error { _, err := api.DecodeRequest(request); return err }},
		{"append/reply", func() error { dst = api.AppendReply(dst[:0], p); return nil }},
		{"decode/reply", func() error { _, err := api.DecodeReply(reply); return err }},
	} {
		b.Run(c.name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if err := c.do(); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "messages/s")
		})
	}
}
