package linearizability

import (
	"fmt"
	"slices"
	"sort"
	"strings"
)

// toyStore is a third implementation of the key/value model.
type toyStore map[string]string

func (s toyStore) do(in KVInput) KVOutput {
	value, found := s[in.Key]
	switch in.Op {
	case OpGet:
		return KVOutput{Found: found, Value: value}
	case OpPut:
		s[in.Key] = in.Value
		return KVOutput{}
	case OpDelete:
		delete(s, in.Key)
		return KVOutput{Found: found}
	case OpCAS:
		if in.Absent && found || !in.Absent && (!found || value != in.Expect) {
			return KVOutput{Found: found, Value: value}
		}
		s[in.Key] = in.Value
		return KVOutput{OK: true}
	}
	var out KVOutput
	for k, v := range s {
		if strings.HasPrefix(k, in.Key) {
			out.Pairs = append(out.Pairs, KVPair{Key: k, Value: v})
		}
	}
	sort.Slice(out.Pairs, func(i, j int) bool { return out.Pairs[i].Key < out.Pairs[j].Key })
	return out
}

// wouldChange reports whether in changes the store now.
func (s toyStore) wouldChange(in KVInput) bool {
	t := s.clone()
	t.do(in)
	return s.key() != t.key()
}

func (s toyStore) clone() toyStore {
	t := toyStore{}
	for k, v := range s {
		t[k] = v
	}
	return t
}

func (s toyStore) key() string { return fmt.Sprint(map[string]string(s)) }

func (s toyStore) follow(in KVInput, out *KVOutput) []bruteState[KVInput, KVOutput] {
	next := s.clone()
	if got := next.do(in); out != nil && !s.gave(in, got, *out) {
		return nil
	}
	return []bruteState[KVInput, KVOutput]{next}
}

func (s toyStore) gave(in KVInput, got, want KVOutput) bool {
	switch in.Op {
	case OpGet:
		return got.Found == want.Found && (!got.Found || got.Value == want.Value)
	case OpDelete:
		return got.Found == want.Found
	case OpCAS:
		return got.OK == want.OK && (got.OK || got.Found == want.Found && (!got.Found || got.Value == want.Value))
	case OpList:
		return slices.Equal(got.Pairs, want.Pairs)
	}
	return true
}

// shape bounds a generated history.
type shape struct {
	clients, operations, keys, values int
	groups                            int
	lists                             bool
}

// kvToy is a toy store that also draws calls.
type kvToy struct {
	toyStore
	shape shape
}

func (t kvToy) ready(KVInput) bool { return true }

func (t kvToy) draw(pick pick) KVInput {
	key := fmt.Sprintf("g%d/k%d", pick(t.shape.groups), pick(t.shape.keys))
	value := func() string { return fmt.Sprint(pick(t.shape.values)) }
	n := 8
	if t.shape.lists {
		n = 9
	}
	switch pick(n) {
	case 0, 1, 2:
		return Get(key)
	case 3, 4:
		return Put(key, value())
	case 5:
		return Delete(key)
	case 6:
		return CompareAndSet(key, value(), value())
	case 7:
		return PutIfAbsent(key, value())
	}
	return List(KVGroup(key) + "/")
}

func simulateKV(p pick, sh shape) *History[KVInput, KVOutput] {
	s := simulation[KVInput, KVOutput]{pick: p, clients: sh.clients, operations: sh.operations, toy: kvToy{toyStore{}, sh}}
	return s.run()
}

// mutateKV changes the written value or the result of an operation.
func mutateKV(p pick, op *Operation[KVInput, KVOutput]) {
	if p(2) == 0 {
		op.Input.Value = fmt.Sprint(p(4))
		return
	}
	mutateOutput(p, op)
}

func mutateOutput(p pick, op *Operation[KVInput, KVOutput]) {
	if op.Outcome != OutcomeOK {
		return
	}
	switch out := &op.Output; {
	case op.Input.Op == OpList && len(out.Pairs) > 0 && p(2) == 0:
		out.Pairs = out.Pairs[1:]
	case op.Input.Op == OpList:
		out.Pairs = append([]KVPair{{Key: op.Input.Key + "k0", Value: fmt.Sprint(p(4))}}, out.Pairs...)
	case op.Input.Op == OpCAS && p(2) == 0:
		out.OK = !out.OK
	case p(2) == 0:
		out.Found = !out.Found
	default:
		out.Value = fmt.Sprint(p(4))
	}
}
