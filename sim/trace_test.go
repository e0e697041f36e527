package sim

import (
	"bytes"
	"errors"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// variant is one run in which exactly one byte of one input of the hash can be
// changed.
type variant struct {
	message, disk, result byte
	clock                 time.Duration
	fault                 uint64
}

func (v variant) hash() uint64 {
	w := New(Config{Seed: 1, Link: lan()})
	defer w.Close()
	p := &scripted{start: func(env *Env) {
		msg := append(bytes.Repeat([]byte("m"), 100), v.message)
		env.Send(2, msg)
		env.Now()
		env.Go("job", func() {
			f, err := env.FS().Create("f")
			if err != nil {
				return
			}
			_, _ = f.WriteAt(append(bytes.Repeat([]byte("d"), 100), v.disk), 0)
		})
		w.Result(env.Self(), append([]byte("result"), v.result))
		w.Fault(env.Self(), "own", v.fault)
	}}
	w.Add(MachineConfig{Process: func() Process { return p }, Disk: ssd(), Clock: ClockConfig{Offset: v.clock}}).Start()
	w.Add(MachineConfig{Process: func() Process { return &silent{} }}).Start()
	w.RunFor(time.Second)
	return w.Hash()
}

func TestOneByteOfAnyInputChangesTheHash(t *testing.T) {
	base := variant{}.hash()
	require.Equal(t, base, variant{}.hash())
	seen := map[uint64]string{base: "base"}
	for name, v := range map[string]variant{
		"message": {message: 1}, "disk write": {disk: 1}, "client result": {result: 1}, "clock reading": {clock: 1}, "fault": {fault: 1},
	} {
		h := v.hash()
		require.Empty(t, seen[h], name)
		seen[h] = name
	}
}

func TestFoldsDoNotRunIntoEachOther(t *testing.T) {
	of := func(parts ...string) sum {
		var h sum
		for _, p := range parts {
			h.bytes([]byte(p))
		}
		return h
	}
	require.NotEqual(t, of("ab", "c"), of("a", "bc"))
	require.NotEqual(t, of("a"), of("a\x00"))
	require.NotEqual(t, of("", "a"), of("a", ""))
	require.NotEqual(t, of("12345678"), of("12345678\x00"))
}

func traced(trace Trace) (string, uint64) {
	var b bytes.Buffer
	trace.W = &b
	w := rough(Config{Seed: 2, Trace: trace})
	defer w.Close()
	w.RunFor(200 * time.Millisecond)
	return b.String(), w.Hash()
}

func TestTheHumanTrace(t *testing.T) {
	text, hash := traced(Trace{})
	_, quiet := traced(Trace{Node: 9999})
	require.Equal(t, hash, quiet, "tracing changes nothing")
	shape := regexp.MustCompile(`^ *\d+ +\d+\.\d{9} +(n\d|-) +(-|\d+\.\d{9}) \S+ +\S`)
	lines := strings.Split(strings.TrimSuffix(text, "\n"), "\n")
	for _, l := range lines {
		require.Regexp(t, shape, l)
	}
	for _, kind := range []string{" send ", " receive ", " disk ", " fault "} {
		require.Contains(t, text, kind)
	}

	only, _ := traced(Trace{Node: 2, From: 100, Until: 400})
	require.NotEmpty(t, only)
	for _, l := range strings.Split(strings.TrimSuffix(only, "\n"), "\n") {
		require.Contains(t, text, l+"\n")
		require.Contains(t, l, " n2 ")
	}
	require.Less(t, len(only), len(text)/3)

	said, _ := traced(Trace{Describe: func(from, to Addr, msg []byte) string { return from.String() + " tells " + to.String() }})
	require.Contains(t, said, "-> n2 n1 tells n2")
}

// A protocol whose messages are text needs no Describe.
func TestATracePrintsShortMessagesOfText(t *testing.T) {
	for msg, want := range map[string]string{
		`{"Kind":"prepare","B":257}`: `{"Kind":"prepare","B":257}`,
		"#5 result größer":           "#5 result größer",
		"two\nlines":                 "9 bytes ",
		"\x01\x02":                   "2 bytes ",
		"\xff is no text":            "12 bytes ",
		"":                           "0 bytes ",
		strings.Repeat("x", 201):     "201 bytes ",
	} {
		var b bytes.Buffer
		w := New(Config{Trace: Trace{W: &b}})
		w.Add(MachineConfig{Process: Program(func(*Runtime) {})}).Start()
		w.Add(MachineConfig{Addr: FirstClient, Process: Program(func(rt *Runtime) { rt.Env().Send(1, []byte(msg)) })}).Start()
		w.Run(time.Second)
		w.Close()
		require.Contains(t, b.String(), " send         -> n1 "+want)
	}
}

type brokenPipe struct{ n int }

func (b *brokenPipe) Write(p []byte) (int, error) {
	b.n++
	return 0, errors.New("broken pipe")
}

func TestATraceThatCannotBeWrittenEndsAlone(t *testing.T) {
	pipe := &brokenPipe{}
	w := rough(Config{Seed: 2, Trace: Trace{W: pipe}})
	defer w.Close()
	w.RunFor(200 * time.Millisecond)
	_, hash := traced(Trace{})
	require.Equal(t, hash, w.Hash())
	require.Equal(t, 1, pipe.n)
}

func TestCounters(t *testing.T) {
	w := New(Config{})
	defer w.Close()
	w.Count("b")
	w.Count("a")
	w.Count("b")
	var names []string
	for _, c := range w.Counters() {
		if !strings.Contains(c.Name, ".") {
			names = append(names, c.Name)
			require.Equal(t, map[string]uint64{"a": 1, "b": 2}[c.Name], c.N)
		}
	}
	require.Equal(t, []string{"a", "b"}, names)
}
