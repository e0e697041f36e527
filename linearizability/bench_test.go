package linearizability

import (
	"fmt"
	"testing"
)

// bigHistory is a long legal history as the simulator makes them: logged writes
// and reads, some reads served locally, one operation in a hundred unknown.
func bigHistory(operations, clients, keys int) *History[KVInput, KVOutput] {
	p := splitMix(1)
	names := make([]string, keys)
	for i := range names {
		names[i] = fmt.Sprintf("g%d/key-%d", i/16, i)
	}
	store := newKVReplayer()
	rec := NewRecorder[KVInput, KVOutput](operations)
	open := make([]int, clients) // operation plus one
	ins, slot := make([]KVInput, clients), int64(0)
	for rec.Len() < operations {
		c := p(clients)
		if open[c] == 0 {
			ins[c] = benchInput(p, names)
			open[c] = rec.Call(int64(c), 0, ins[c]) + 1
			continue
		}
		i := open[c] - 1
		open[c] = 0
		out := benchApply(store, ins[c])
		if ins[c].Op != OpGet || p(2) == 0 {
			slot++
			rec.At(i, Position{Slot: slot})
		}
		if p(100) == 0 {
			rec.Unknown(i, 0)
		} else {
			rec.OK(i, 0, out)
		}
	}
	return rec.History()
}

func benchInput(p pick, names []string) KVInput {
	key, value := names[p(len(names))], fmt.Sprint(p(1<<20))
	switch p(8) {
	case 0, 1, 2, 3:
		return Get(key)
	case 4, 5:
		return Put(key, value)
	case 6:
		return Delete(key)
	}
	return CompareAndSet(key, value, value)
}

func benchApply(r *kvReplayer, in KVInput) KVOutput {
	c := *r.cell(in.Key)
	out := KVOutput{Found: c.found, Value: c.value}
	if in.Op == OpCAS {
		out.OK = in.holds(c.value, c.found)
	}
	r.Effect(&in)
	return out
}

func BenchmarkWitness(b *testing.B) {
	h := bigHistory(1_000_000, 20, 256)
	m := KV()
	b.ReportAllocs()
	b.ResetTimer()
	for range b.N {
		if r := CheckWitness(m, h); r.Verdict != Legal {
			b.Fatal(r.Violation.Text)
		}
	}
	b.ReportMetric(float64(h.Len())*float64(b.N)/b.Elapsed().Seconds(), "ops/s")
}

func BenchmarkSearch(b *testing.B) {
	h := bigHistory(20_000, 10, 64)
	m := KV()
	b.ReportAllocs()
	b.ResetTimer()
	var steps int64
	for range b.N {
		r, err := Check(m, h, Budget{})
		if err != nil || r.Verdict != Legal {
			b.Fatal(r.Verdict, err)
		}
		steps = r.Steps
	}
	b.ReportMetric(float64(h.Len())*float64(b.N)/b.Elapsed().Seconds(), "ops/s")
	b.ReportMetric(float64(steps)/float64(h.Len()), "steps/op")
}
