package linearizability

import (
	"bytes"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

const sample = `{"format":"chubby-history","version":1,"model":"kv"}
{"id":0,"client":3,"call":1,"return":2,"call_ns":1200,"return_ns":1900,"slot":5,"outcome":"ok","input":{"op":"put","key":"g/x","value":"a<b"}}
{"id":1,"client":3,"call":3,"return":4,"slot":5,"index":1,"outcome":"ok","input":{"op":"get","key":"g/x"},"output":{"value":"a<b"}}
{"id":2,"client":3,"call":5,"return":6,"outcome":"ok","input":{"op":"get","key":"g/y"},"output":{"value":null}}
{"id":3,"client":3,"call":7,"return":8,"outcome":"ok","input":{"op":"delete","key":"g/y"},"output":{"found":false}}
{"id":4,"client":3,"call":9,"return":10,"outcome":"failed","input":{"op":"delete","key":"g/y"}}
{"id":5,"client":3,"call":11,"slot":6,"outcome":"unknown","input":{"op":"cas","key":"g/x","expect":"a<b","value":"c"}}
{"id":6,"client":4,"call":12,"return":15,"outcome":"ok","concurrent":true,"input":{"op":"cas","key":"g/x","expect":null,"value":{"base64":"/wA="}},"output":{"ok":false,"value":"c"}}
{"id":7,"client":4,"call":13,"return":14,"slot":7,"outcome":"ok","concurrent":true,"input":{"op":"cas","key":"","expect":null,"value":""},"output":{"ok":true}}
{"id":8,"client":3,"call":16,"return":17,"outcome":"ok","input":{"op":"list","prefix":"g/"},"output":{"pairs":[["g/x","c"]]}}
`

func TestAFileIsPinned(t *testing.T) {
	h, err := ReadJSONL(strings.NewReader(sample), KV(), ReadOptions{})
	require.NoError(t, err)
	require.Equal(t, 9, h.Len())
	require.Equal(t, kvOperation{
		ID: 1, Client: 3, Call: 3, Return: 4, At: Position{Slot: 5, Index: 1}, Outcome: OutcomeOK, Input: Get("g/x"), Output: value("a<b"),
	}, h.Operations()[1])
	require.Equal(t, PutIfAbsent("g/x", "\xff\x00"), h.Operations()[6].Input)
	var out bytes.Buffer
	require.NoError(t, WriteJSONL(&out, KV(), h))
	require.Equal(t, sample, out.String())
}

func TestWhatMayBeLeftOut(t *testing.T) {
	h, err := ReadJSONL(strings.NewReader(`
{"client":1,"call":5,"return":6,"input":{"op":"read"},"output":{"value":7}}

{"client":1,"call":3,"input":{"op":"write","value":7}}
{"client":2,"call":1,"return":2,"input":{"op":"write","value":"7"},"output":{"ok":true}}`+"\r\n"), Register(), ReadOptions{})
	require.NoError(t, err)
	require.Equal(t, []kvOperation{
		{ID: 2, Client: 2, Call: 1, Return: 2, Outcome: OutcomeOK, Input: Write("7"), Output: KVOutput{OK: true}},
		{ID: 1, Client: 1, Call: 3, Return: Never, Outcome: OutcomeUnknown, Input: Write("7")},
		{ID: 0, Client: 1, Call: 5, Return: 6, Outcome: OutcomeOK, Input: Read(), Output: value("7")},
	}, h.Operations())
}

func TestFaultsNameLineAndField(t *testing.T) {
	for _, c := range []struct{ line, says string }{
		{`{"client":1`, `line 3: the line ends within the object: was the end of the file lost`},
		{`[]`, `line 3: array where an object belongs`},
		{`{} {}`, `line 3: something follows the object`},
		{`{"client":1,"call":3,"return":4,"input":{"op":"get","key":"x"},"output":{"value":null}} x`, `line 3: something follows the object`},
		{"{\"client\":1,\"call\":3,\"input\":{\"op\":\"get\",\"key\":\"\xff\"}}", `line 3: not UTF-8`},
		{`{"call":3,"input":{"op":"get","key":"x"}}`, `line 3: client: missing`},
		{`{"client":"a","call":3,"input":{"op":"get","key":"x"}}`, `line 3: client: string where int64 belongs`},
		{`{"client":1,"input":{"op":"get","key":"x"}}`, `line 3: call: missing`},
		{`{"client":1,"call":-3,"input":{"op":"get","key":"x"}}`, `line 3: call: -3 is negative`},
		{`{"client":1,"call":3.5,"input":{"op":"get","key":"x"}}`, `line 3: call: number 3.5 where int64 belongs`},
		{`{"client":1,"call":3,"return":3,"input":{"op":"get","key":"x"},"output":{"value":null}}`, `line 3: return: 3 is not after the call at 3`},
		{`{"client":1,"call":3,"return":4,"outcome":"unknown","input":{"op":"get","key":"x"}}`, `line 3: return: an operation with unknown outcome has none`},
		{`{"client":1,"call":3,"outcome":"failed","input":{"op":"get","key":"x"}}`, `line 3: return: missing for outcome failed`},
		{`{"client":1,"call":3,"outcome":"fine","input":{"op":"get","key":"x"}}`, `line 3: outcome: "fine" is not ok, failed or unknown`},
		{`{"client":1,"call":3,"slot":-1,"input":{"op":"get","key":"x"}}`, `line 3: slot: position -1.0`},
		{`{"client":1,"call":3}`, `line 3: input: missing`},
		{`{"client":1,"call":3,"input":7}`, `line 3: input: number where an object belongs`},
		{`{"client":1,"call":3,"input":{"op":"get","key":"x"},"output":{"value":null}}`, `line 3: output: an operation with outcome unknown has none`},
		{`{"client":1,"call":3,"inputs":{}}`, `line 3: json: unknown field "inputs"`},
		{`{"client":1,"call":3,"input":{"op":"add","key":"x"}}`, `line 3: input.op: there is no operation "add"`},
		{`{"client":1,"call":3,"input":{"key":"x"}}`, `line 3: input.op: there is no operation ""`},
		{`{"client":1,"call":3,"input":{"op":"get"}}`, `line 3: input.key: missing`},
		{`{"client":1,"call":3,"input":{"op":"get","key":true}}`, `line 3: input.key: not a string, a number or {"base64":...}`},
		{`{"client":1,"call":3,"input":{"op":"get","key":"\ud800"}}`, `line 3: input.key: half of a surrogate pair`},
		{`{"client":1,"call":3,"input":{"op":"get","key":{"base64":"*"}}}`, `line 3: input.key: illegal base64`},
		{`{"client":1,"call":3,"input":{"op":"get","key":"x","value":"1"}}`, `line 3: input.value: get has none`},
		{`{"client":1,"call":3,"input":{"op":"get","key":"x","expect":"1"}}`, `line 3: input.expect: get has none`},
		{`{"client":1,"call":3,"input":{"op":"put","key":"x"}}`, `line 3: input.value: missing`},
		{`{"client":1,"call":3,"input":{"op":"put","key":"x","value":null}}`, `line 3: input.value: missing`},
		{`{"client":1,"call":3,"input":{"op":"cas","key":"x","value":"1"}}`, `line 3: input.expect: missing`},
		{`{"client":1,"call":3,"input":{"op":"put","prefix":"x","value":"1"}}`, `line 3: input.prefix: only a list has one`},
		{`{"client":1,"call":3,"input":{"op":"list","key":"g/"}}`, `line 3: input.key: a list has a prefix instead`},
		{`{"client":1,"call":3,"input":{"op":"list","prefix":"g"}}`, `line 3: input.prefix: "g" does not lie within one group`},
		{`{"client":1,"call":3,"return":4,"input":{"op":"get","key":"x"}}`, `line 3: output.value: missing`},
		{`{"client":1,"call":3,"return":4,"input":{"op":"get","key":"x"},"output":{"value":[]}}`, `line 3: output.value: not a string`},
		{`{"client":1,"call":3,"return":4,"input":{"op":"get","key":"x"},"output":{"value":"1","ok":true}}`, `line 3: output.ok: does not belong`},
		{`{"client":1,"call":3,"return":4,"input":{"op":"put","key":"x","value":"1"},"output":{"ok":false}}`, `line 3: output.ok: does not belong`},
		{`{"client":1,"call":3,"return":4,"input":{"op":"delete","key":"x"},"output":{}}`, `line 3: output.found: missing`},
		{`{"client":1,"call":3,"return":4,"input":{"op":"get","key":"x"},"output":{"value":"1","or_none":true}}`, `line 3: output.or_none: only the empty value may stand for none`},
		{`{"client":1,"call":3,"return":4,"input":{"op":"append","key":"x"}}`, `line 3: input.value: missing`},
		{`{"client":1,"call":3,"return":4,"input":{"op":"list","prefix":"g/"},"output":{"pairs":[["g/x"]]}}`, `line 3: output: a pair of 1`},
		{`{"format":"chubby-history","version":1}`, `line 3: format: the header is the first line or none`},
		{`{"client":1,"call":3,"call":4,"input":{"op":"get","key":"x"}}`, `line 3: call: stands twice in one object`},
		{`{"client":1,"call":3,"Call":4,"input":{"op":"get","key":"x"}}`, `line 3: call: stands twice in one object, as "Call" too`},
		{`{"client":1,"call":3,"c\u0061ll":4,"input":{"op":"get","key":"x"}}`, `line 3: call: stands twice in one object`},
		{`{"client":1,"call":3,"input":{"op":"get","key":"x","key":"y"}}`, `line 3: input.key: stands twice in one object`},
		{`{"client":1,"call":3,"input":{"op":"get","key":"x","KEY":"y"}}`, `line 3: input.key: stands twice in one object, as "KEY" too`},
		{`{"client":1,"call":3,"input":{"op":"get","key":{"base64":"AA==", "base64":"AQ=="}}}`, `line 3: input.key.base64: stands twice in one object`},
		{`{"client":1,"call":3,"return":4,"input":{"op":"list","prefix":"g/"},"output":{"pairs":[["g/x","1"],["g/y",{"base64":"AA==","base64":"AA=="}]]}}`, `line 3: output.pairs[1][1].base64: stands twice in one object`},
	} {
		requireFault(t, KV(), "\n{\"client\":9,\"call\":1,\"input\":{\"op\":\"get\",\"key\":\"x\"}}\n"+c.line+"\n", 3, c.says)
	}
}

// requireFault requires that a file is refused for one of its lines.
func requireFault[S, I, O any](t *testing.T, m *Model[S, I, O], file string, line int, says string) {
	_, err := ReadJSONL(strings.NewReader(file), m, ReadOptions{})
	require.ErrorIs(t, err, ErrFormat, file)
	require.ErrorContains(t, err, says, file)
	var f *FormatError
	require.ErrorAs(t, err, &f)
	require.Equal(t, line, f.Line)
}

func TestHeadersAreChecked(t *testing.T) {
	for head, says := range map[string]string{
		`{"format":"other","version":1}`:                             `line 1: format: "other" is not "chubby-history"`,
		`{"format":"chubby-history","version":2}`:                    `line 1: version: 2 is unknown`,
		`{"format":"chubby-history","version":1,"model":"register"}`: `line 1: model: the file is for model "register", not "kv"`,
		`{"format":"chubby-history","version":1,"version":1}`:        `line 1: version: stands twice in one object`,
		"\xef\xbb\xbf" + `{"format":"chubby-history","version":1}`:   `line 1: begins with a byte order mark`,
		"\xef\xbb\xbf":  `line 1: begins with a byte order mark`,
		"\xff\xfe{\x00": `line 1: begins with the byte order mark of UTF-16`,
		"\xfe\xff\x00{": `line 1: begins with the byte order mark of UTF-16`,
	} {
		_, err := ReadJSONL(strings.NewReader(head), KV(), ReadOptions{})
		require.ErrorIs(t, err, ErrFormat)
		require.ErrorContains(t, err, says)
	}
}

// Lines that are good by themselves, and no history together, are named.
func TestLinesThatFormNoHistoryAreNamed(t *testing.T) {
	get := func(id, client, call, ret int) string {
		return fmt.Sprintf(`{"id":%d,"client":%d,"call":%d,"return":%d,"input":{"op":"get","key":"x"},"output":{"value":null}}`+"\n", id, client, call, ret)
	}
	const head = `{"format":"chubby-history","version":1}` + "\n\n"
	for text, says := range map[string]string{
		head + get(0, 1, 3, 4) + get(1, 2, 1, 2) + get(0, 3, 5, 6): "lines 3 and 5: malformed history: two operations have the id 0",
		get(9, 1, 2, 4) + get(8, 2, 5, 6) + "\n" + get(7, 1, 1, 3): "lines 1 and 4: malformed history: client 1 calls operation 9 at 2 before its operation 7 returned at 3: if its threads",
		get(0, 1, 1, 2) + head[len(head)-1:] + get(1, 2, 2, 3):     "lines 1 and 3: malformed history: operations 0 and 1 share the stamp 2",
	} {
		_, err := CheckFile(strings.NewReader(text), "kv", Options{})
		require.ErrorIs(t, err, ErrMalformed)
		require.ErrorContains(t, err, says)
	}
}

func TestReadingIsBounded(t *testing.T) {
	line := `{"client":1,"call":3,"input":{"op":"get","key":"x"}}`
	_, err := ReadJSONL(strings.NewReader(line+"\n"), KV(), ReadOptions{MaxLine: len(line)})
	require.NoError(t, err)
	_, err = ReadJSONL(strings.NewReader(line+"\n"), KV(), ReadOptions{MaxLine: len(line) - 1})
	require.ErrorContains(t, err, "line 1: longer than 51 bytes")
	require.ErrorIs(t, err, ErrFormat)
	_, err = ReadJSONL(strings.NewReader(line+"\n"+line), KV(), ReadOptions{MaxOperations: 1})
	require.ErrorContains(t, err, "line 2: more than 1 operations")
	_, err = ReadJSONL(strings.NewReader(line+"\n"+line), KV(), ReadOptions{})
	require.ErrorIs(t, err, ErrMalformed)

	broken := errors.New("broken pipe")
	_, err = ReadJSONL(&failing{data: line + "\n", err: broken}, KV(), ReadOptions{})
	require.ErrorIs(t, err, broken)
	require.ErrorContains(t, err, "after line 1")
}

// failing is a reader that fails after its data.
type failing struct {
	data string
	err  error
}

func (f *failing) Read(p []byte) (int, error) {
	if f.data == "" {
		return 0, f.err
	}
	n := copy(p, f.data)
	f.data = f.data[n:]
	return n, nil
}

func TestWrittenHistoriesReadBackTheSame(t *testing.T) {
	for seed := range uint64(500) {
		p := splitMix(seed)
		requireRoundTrip(t, KV(), mutate(p, simulateKV(p, smallShape(p)), mutateKV))
	}
}

func requireRoundTrip[S, I, O any](t *testing.T, m *Model[S, I, O], h *History[I, O]) {
	var file bytes.Buffer
	require.NoError(t, WriteJSONL(&file, m, h))
	text := file.String()
	again, err := ReadJSONL(&file, m, ReadOptions{})
	require.NoError(t, err, text)
	file.Reset()
	require.NoError(t, WriteJSONL(&file, m, again))
	require.Equal(t, text, file.String())
	require.Equal(t, h.Len(), again.Len())
	require.Equal(t, CheckWitness(m, h).Verdict, CheckWitness(m, again).Verdict)
}

func FuzzReadJSONL(f *testing.F) {
	f.Add([]byte(sample))
	f.Add([]byte(`{"client":1,"call":3,"return":9,"input":{"op":"cas","key":1e5,"expect":{"base64":"AA=="},"value":-2},"output":{"ok":false,"value":"\ud83d\ude00"}}`))
	f.Add([]byte("{\"client\":1,\"call\":1,\"return\":2,\"input\":{\"op\":\"list\",\"prefix\":\"a/b\"},\"output\":{\"pairs\":[]}}\r\n\n"))
	fuzzJSONL(f, KV())
}

func fuzzJSONL[S, I, O any](f *testing.F, m *Model[S, I, O]) {
	f.Fuzz(func(t *testing.T, data []byte) {
		h, err := ReadJSONL(bytes.NewReader(data), m, ReadOptions{MaxLine: 1 << 12, MaxOperations: 100})
		if err != nil {
			require.True(t, errors.Is(err, ErrFormat) || errors.Is(err, ErrMalformed), "%v", err)
			return
		}
		requireRoundTrip(t, m, h)
	})
}

// A read that returns a value twice is no fault of the file. It is a wrong answer, and the report shows it.
func TestASetHasNoValueTwice(t *testing.T) {
	r, err := CheckFile(strings.NewReader(`{"client":1,"call":1,"return":2,"input":{"op":"add","value":"a"}}
{"client":1,"call":3,"return":4,"input":{"op":"read"},"output":{"values":["a","a"]}}`), "set", Options{})
	require.NoError(t, err)
	require.Equal(t, Illegal, r.Verdict)
	require.Contains(t, r.Text(), `read -> {"a" "a"}`)
	require.Contains(t, r.Text(), `Possible there: {"a"}.`)
}
