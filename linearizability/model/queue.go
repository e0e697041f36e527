package model

import (
	"errors"
	"slices"
	"strings"

	"github.com/cespare/xxhash/v2"

	"github.com/chubbycell/chubby/linearizability/history"
	"github.com/chubbycell/chubby/linearizability/strictjson"
)

// QueueOp is an operation of the model of queues.
type QueueOp uint8

const (
	// QueueEnqueue puts Value at the end. It always succeeds; no output.
	QueueEnqueue QueueOp = iota + 1
	// QueueDequeue removes the first value. Output: Found, Value; without Found, the queue was empty.
	QueueDequeue
)

var queueOps = Words[QueueOp]{QueueEnqueue: "enqueue", QueueDequeue: "dequeue"}

// QueueInput is a call of the model of queues.
type QueueInput struct {
	Op    QueueOp
	Key   string // which queue
	Value string
}

// QueueOutput is a result of the model of queues.
type QueueOutput struct {
	Found bool
	Value string
}

// QueueState is an immutable queue. The zero QueueState is empty.
type QueueState struct{ queue *queueRows }

// queueRows is the content of a queue: front has the first values in order, and back the others in reverse order. Cells
// are shared with the queue that it was made from.
type queueRows struct {
	sum, scale  uint64 // hash of the values at their places; factor of the next place
	front, back *queueCell
}

type queueCell struct {
	value string
	next  *queueCell
}

// place is the factor of the hash from one place to the next. inverse is its inverse modulo 2^64.
const (
	place   uint64 = 0x9e3779b97f4a7c15
	inverse uint64 = 0xf1de83e19937733d
)

// Queue is the model of queues, first in, first out, empty at the start. A history may have several queues,
// distinguished by Key; each is checked by itself.
func Queue() *Model[QueueState, QueueInput, QueueOutput] {
	m := Deterministic(func() QueueState { return QueueState{} }, QueueState.apply, func(in QueueInput, want, got QueueOutput) bool {
		return in.Op == QueueEnqueue || want == got
	})
	m.Name = "queue"
	m.Partition = func(in QueueInput) string { return in.Key }
	m.Settle, m.Refute, m.Propose = queueSettle, queueRefute, queuePropose
	m.Equal, m.Hash = QueueState.equal, QueueState.hash
	m.Size = func(QueueState) int { return 96 }
	m.Validate = func(in QueueInput) error {
		if in.Op != QueueEnqueue && in.Op != QueueDequeue {
			return strictjson.Errorf("op", "no such operation %d", in.Op)
		}
		return nil
	}
	m.DescribeInput = func(in QueueInput) string {
		text := strings.TrimSpace(queueOps.Of(in.Op) + " " + in.Key)
		if in.Op == QueueEnqueue {
			text += " " + shown(in.Value)
		}
		return text
	}
	m.DescribeOutput = func(in QueueInput, out QueueOutput) string {
		if in.Op == QueueEnqueue {
			return "ok"
		}
		return describeValue(out.Value, out.Found)
	}
	m.DescribeState = func(s QueueState) string { return describeList(s.values()) }
	m.Codec = queueCodec()
	return &m
}

func (s QueueState) rows() queueRows {
	if s.queue == nil {
		return queueRows{scale: 1}
	}
	return *s.queue
}

func (s QueueState) apply(in QueueInput) (QueueState, QueueOutput) {
	q := s.rows()
	if in.Op == QueueEnqueue {
		q.sum += q.scale * xxhash.Sum64String(in.Value)
		q.scale *= place
		q.back = &queueCell{in.Value, q.back}
		return QueueState{&q}, QueueOutput{}
	}
	if q.front == nil {
		for c := q.back; c != nil; c = c.next {
			q.front = &queueCell{c.value, q.front}
		}
		q.back = nil
	}
	if q.front == nil {
		return s, QueueOutput{}
	}
	value := q.front.value
	q.front = q.front.next
	q.sum, q.scale = (q.sum-xxhash.Sum64String(value))*inverse, q.scale*inverse
	return QueueState{&q}, QueueOutput{Found: true, Value: value}
}

func (s QueueState) values() []string {
	q := s.rows()
	var all, last []string
	for c := q.front; c != nil; c = c.next {
		all = append(all, c.value)
	}
	for c := q.back; c != nil; c = c.next {
		last = append(last, c.value)
	}
	slices.Reverse(last)
	return append(all, last...)
}

func (s QueueState) hash() uint64 { return s.rows().sum }

func (s QueueState) equal(t QueueState) bool {
	return s.queue == t.queue || s.hash() == t.hash() && slices.Equal(s.values(), t.values())
}

// queueSettle is the Settle of the model of queues. Two rules:
//
//  1. An unknown enqueue of a value that no completed operation dequeued can be left out, together with the dequeue of
//     unknown outcome, if any, that removes the value.
//  2. If a value was dequeued, and only one operation enqueues it, that enqueue took effect before the first dequeue of
//     the value returned.
func queueSettle(ops []*history.Operation[QueueInput, QueueOutput], until []int64) {
	enqueued, dequeued := map[string]int{}, map[string]int64{}
	for _, op := range ops {
		if op.Input.Op == QueueEnqueue {
			enqueued[op.Input.Value]++
		} else if out := op.Seen(); out.Found {
			if first, ok := dequeued[out.Value]; !ok || op.Return < first {
				dequeued[out.Value] = op.Return
			}
		}
	}
	for i, op := range ops {
		first, taken := dequeued[op.Input.Value]
		switch {
		case op.Outcome != history.OutcomeUnknown || op.Input.Op != QueueEnqueue:
		case !taken:
			until[i] = NoEffect
		case enqueued[op.Input.Value] == 1 && first > op.Call:
			until[i] = first
		}
	}
}

func queueCodec() Codec[QueueInput, QueueOutput] {
	return Codec[QueueInput, QueueOutput]{
		EncodeInput: func(in QueueInput) ([]byte, error) {
			name, ok := queueOps.word(in.Op)
			if !ok {
				return nil, errors.New("op: no such operation")
			}
			m := strictjson.Object{}.With("op", name)
			if in.Key != "" {
				m = m.With("key", strictjson.Text(in.Key))
			}
			if in.Op == QueueEnqueue {
				m = m.With("value", strictjson.Text(in.Value))
			}
			return m.Encode()
		},
		EncodeOutput: func(in QueueInput, out QueueOutput) ([]byte, error) {
			if in.Op == QueueEnqueue {
				return strictjson.Object{}.Encode()
			}
			return strictjson.Object{}.With("value", strictjson.Some(out.Value, out.Found)).Encode()
		},
		DecodeInput:  decodeQueueInput,
		DecodeOutput: decodeQueueOutput,
	}
}

func decodeQueueInput(data []byte) (in QueueInput, err error) {
	var f valueFields
	in.Key, in.Value, err = f.read(data, func() (bool, error) {
		var ok bool
		if in.Op, ok = queueOps.value(f.Op); !ok {
			return false, queueOps.unknown(f.Op)
		}
		return in.Op == QueueEnqueue, nil
	})
	return in, err
}

func decodeQueueOutput(in QueueInput, data []byte) (out QueueOutput, err error) {
	var f struct {
		Value strictjson.Optional `json:"value"`
	}
	if err := strictjson.DecodeOptional(data, &f); err != nil {
		return out, err
	}
	if err := f.Value.Broken("value"); err != nil {
		return out, err
	}
	err = strictjson.CheckFields("this operation's output", strictjson.Needs("value", f.Value.Given, strictjson.Only(in.Op == QueueDequeue)))
	out.Value, out.Found = f.Value.Value()
	return out, err
}
