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
	store := map[string]string{}
	return record(p, operations, clients,
		func() KVInput { return benchInput(p, names) },
		func(in KVInput, _ int64) (KVOutput, bool) { return benchApply(store, in), in.Op != OpGet })
}

// record makes clients call, in random order, what call draws. do answers; it gets the next slot
// and returns whether the operation needs one. One answer in a hundred is lost.
func record[I, O any](p pick, operations, clients int, call func() I, do func(in I, slot int64) (O, bool)) *History[I, O] {
	return recordLosing(p, 100, operations, clients, call, do)
}

// recordLosing is record with another share of lost answers: one in lost.
func recordLosing[I, O any](p pick, lost, operations, clients int, call func() I, do func(in I, slot int64) (O, bool)) *History[I, O] {
	rec := NewRecorder[I, O](operations)
	open := make([]int, clients) // by client: its open operation plus one
	ins, slot := make([]I, clients), int64(1)
	for rec.Len() < operations {
		c := p(clients)
		if open[c] == 0 {
			ins[c] = call()
			open[c] = rec.Call(int64(c), 0, ins[c]) + 1
			continue
		}
		i := open[c] - 1
		open[c] = 0
		out, logged := do(ins[c], slot)
		if logged || p(2) == 0 {
			rec.At(i, Position{Slot: slot})
			slot++
			rec.WitnessOutput(i, out)
		}
		if p(lost) == 0 {
			rec.Unknown(i, 0)
		} else {
			rec.OK(i, 0, out)
		}
	}
	return rec.History()
}

// bigFileHistory is a history of files in directories: half reads of contents and
// metadata, the rest writes, creations and deletions.
func bigFileHistory(operations, clients, files int) *History[FileInput, FileOutput] {
	m, p, instances := File(), splitMix(1), map[string]uint64{}
	s := m.Init()
	apply := func(in FileInput, slot int64) (FileOutput, bool) {
		out, gen := m.Result(s, in), uint64(slot)
		switch {
		case out.Code != FileOK:
		case in.Op == FileSet:
			out.Stat.Content = gen
		case out.Created && in.Kind == FilePlain:
			out.Stat.Instance, out.Stat.Content, out.Stat.ACL, out.Stat.Lock = gen, gen, gen, gen
		case out.Created:
			out.Stat.Instance, out.Stat.ACL, out.Stat.Lock = gen, gen, gen
		}
		_, s = m.Step(s, in, out)
		switch {
		case out.Created:
			instances[in.Path] = gen
		case in.Op == FileDelete && out.Code == FileOK:
			delete(instances, in.Path)
		}
		return out, out.Code == FileOK && (out.Created || in.Op == FileSet || in.Op == FileDelete)
	}
	names := make([]string, files)
	for i := range names {
		names[i] = fmt.Sprintf("/d%d/file-%d", i/16, i)
	}
	made := 0
	return record(p, operations, clients, func() FileInput {
		if made < files/16 {
			made++
			return FileInput{Op: FileOpen, Path: fmt.Sprintf("/d%d", made-1), Create: FileCreateMay, Kind: FileDirectory}
		}
		in := FileInput{Path: names[p(files)], Contents: fmt.Sprint(p(1 << 20))}
		if n := instances[in.Path]; n != 0 && p(20) > 0 {
			in.Instance = n
		}
		if in.Op = [...]FileOp{FileGet, FileGet, FileGetStat, FileGetStat, FileSet, FileSet, FileOpen, FileDelete}[p(8)]; in.Op == FileOpen {
			in.Create, in.Kind, in.Instance = FileCreateMay, FilePlain, 0
		}
		return in
	}, apply)
}

// bigLockHistory is a history of handles that try, release, fail and get sequencers.
func bigLockHistory(operations, clients, locks int) *History[LockInput, LockOutput] {
	m, p, states := Lock(), splitMix(1), map[string]LockState{}
	ops := [...]LockOp{LockTry, LockTry, LockTry, LockRelease, LockRelease, LockGetSequencer, LockGetSequencer, LockFail, LockDelayOver}
	return record(p, operations, clients, func() LockInput {
		in := LockInput{Op: ops[p(len(ops))], Path: fmt.Sprintf("/locks/%d", p(locks)), Instance: 7, Began: 1}
		if in.Op != LockDelayOver {
			in.Handle = fmt.Sprintf("%d/1", p(4))
		}
		if in.Op == LockTry {
			in.Shared, in.Delay = p(3) == 0, int64(p(2))
		}
		return in
	}, func(in LockInput, slot int64) (LockOutput, bool) {
		s := states[in.Path]
		out := m.Result(s, in)
		if in.Op == LockTry && out.Code == LockOK && out.Acquisition == 0 {
			out.Acquisition = uint64(slot)
		}
		if in.Op == LockTry && out.Code == LockOK && out.Gen == 0 {
			out.Gen = uint64(slot)
		}
		_, next := m.Step(s, in, out)
		states[in.Path] = next
		return out, !m.Equal(s, next)
	})
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

func benchApply(rows map[string]string, in KVInput) KVOutput {
	old, found := rows[in.Key]
	out := KVOutput{Found: found, Value: old, OK: in.Op == OpCAS && found && old == in.Expect}
	switch {
	case in.Op == OpPut || out.OK:
		rows[in.Key] = in.Value
	case in.Op == OpDelete:
		delete(rows, in.Key)
	}
	return out
}

func BenchmarkWitness(b *testing.B) { benchWitness(b, KV(), bigHistory(1_000_000, 20, 256)) }

func BenchmarkFileWitness(b *testing.B) { benchWitness(b, File(), bigFileHistory(200_000, 20, 256)) }

func BenchmarkLockWitness(b *testing.B) { benchWitness(b, Lock(), bigLockHistory(200_000, 20, 64)) }

func benchWitness[S, I, O any](b *testing.B, m *Model[S, I, O], h *History[I, O]) {
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
