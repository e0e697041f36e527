package linearizability

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// foreignFile is a history in a foreign format, with the expected result.
type foreignFile struct {
	model, text string
	want        Verdict
}

func foreignFiles() map[string]foreignFile {
	return map[string]foreignFile{
		"a register": {"register", `{:type :invoke, :f :write, :value 1, :process 0, :time 10, :index 0}
{:type :invoke, :f :read, :value nil, :process 1, :time 20}
{:type :ok, :f :read, :value nil, :process 1, :time 30}
{:type :info, :f :start, :process :nemesis, :value nil}
{:type :ok, :f :write, :value 1, :process 0, :time 40}
{:type :invoke, :f :read, :process 1} {:type :ok, :f :read, :value 1, :process 1}`, Legal},
		"a stale read, in one vector, with records": {"register", `[#jepsen.history.Op{:process 0, :type :invoke, :f :write, :value 1}
#jepsen.history.Op{:process 0 :type :ok :f :write :value 1}
#jepsen.history.Op{:process 1 :type :invoke :f :read :value nil} ; no more
#jepsen.history.Op{:process 1 :type :ok :f :read :value nil}]`, Illegal},
		"keys beside values": {"register", `{:process 0, :type :invoke, :f :write, :value [7 1]}
{:process 0, :type :ok, :f :write, :value [7 1]}
{:process 1, :type :invoke, :f :cas, :value [8 [1 2]]}
{:process 1, :type :fail, :f :cas, :value [8 [1 2]]}
{:process 1, :type :invoke, :f :read, :value [8 nil]}
{:process 1, :type :ok, :f :read, :value [8 nil]}`, Legal},
		"a cas that failed where it had to hold": {"cas", "INFO  jepsen.util - 0\t:invoke\t:write\t1\n" +
			"INFO  jepsen.core - Run complete\n" +
			"INFO  jepsen.util - :nemesis :info :start \"cut {off\n" +
			"INFO  jepsen.util - 0\t:ok\t:write\t1\n" +
			"INFO  jepsen.util - 1\t:invoke\t:cas\t[1 2]\nINFO  jepsen.util - 1\t:fail\t:cas\t[1 2]\n", Illegal},
		"the same where a failure says nothing": {"register", "INFO  jepsen.util - 0\t:invoke\t:write\t1\n" +
			"INFO  jepsen.util - 0\t:ok\t:write\t1\n" +
			"INFO  jepsen.util - 1\t:invoke\t:cas\t[1 2]\nINFO  jepsen.util - 1\t:fail\t:cas\t[1 2]\n", Legal},
		"a cas that failed for another reason": {"cas", "INFO  jepsen.util - 0\t:invoke\t:cas\t[nil 2]\n" +
			"INFO  jepsen.util - 0\t:fail\t:cas\t:timed-out\n" +
			"INFO  jepsen.util - 1\t:invoke\t:read\tnil\nINFO  jepsen.util - 1\t:fail\t:read\t:timed-out\n", Legal},
		"a stale read in the file jepsen.log": {"register", "2026-02-26 23:39:01,300{GMT}\tINFO\t[jepsen worker 1] jepsen.util: 1\t:invoke\t:write\t[0 2]\n" +
			"2026-02-26 23:39:01,303{GMT}\tINFO\t[jepsen worker 1] jepsen.util: 1\t:ok\t:write\t[0 2]\n" +
			"2026-02-26 23:39:01,304{GMT}\tINFO\t[jepsen nemesis] jepsen.util: :nemesis\t:info\t:start\tnil\n" +
			"2026-02-26 23:39:01,526{GMT}\tINFO\t[jepsen worker 0] jepsen.util: 0\t:invoke\t:read\t[0 nil]\n" +
			"2026-02-26 23:39:01,527{GMT}\tINFO\t[jepsen worker 0] jepsen.util: 0\t:ok\t:read\t[0 nil]\n", Illegal},
		"a register, and an object of Clojure": {"register", `{:process :nemesis, :type :info, :f :cut, :value #object[jepsen.net$Net 0x7e8c9f01 "Net@7e8c9f01"]}
{:process 0, :type :invoke, :f :write, :value 1} {:process 0, :type :ok, :f :write, :value 1}`, Legal},
		"appends": {"kv", `{:process 0, :type :invoke, :f :get, :key "0", :value nil}
{:process 0, :type :ok, :f :get, :key "0", :value ""}
{:process 1, :type :invoke, :f :append, :key "0", :value "x"}
{:process 2, :type :invoke, :f :append, :key "0", :value "y"}
{:process 2, :type :ok, :f :append, :key "0", :value "y"}
{:process 1, :type :ok, :f :append, :key "0", :value "x"}
{:process 1, :type :invoke, :f :get, :key "0"}
{:process 1, :type :ok, :f :get, :key "0", :value "yx"}`, Legal},
		"a set with a value that was never added": {"set", `{:process 0, :type :invoke, :f :add, :value 1}
{:process 0, :type :info, :f :add, :value 1, :error :timeout}
{:process 1, :type :invoke, :f :read} {:process 1, :type :ok, :f :read, :value #{1 2}}`, Illegal},
		"a set with a lost add": {"set", `{:process 0, :type :invoke, :f :add, :value 1}
{:process 0, :type :info, :f :add, :value 1, :error :timeout}
{:process 1, :type :invoke, :f :read} {:process 1, :type :ok, :f :read, :value [1]}`, Legal},
		"a set with a value twice in one read": {"set", `{:process 0, :type :invoke, :f :add, :value 1} {:process 0, :type :ok, :f :add, :value 1}
{:process 1, :type :invoke, :f :read} {:process 1, :type :ok, :f :read, :value [1 1]}`, Illegal},
		"a set that has nil": {"set", `{:process 0, :type :invoke, :f :add, :value nil} {:process 0, :type :ok, :f :add, :value nil}
{:process 0, :type :invoke, :f :add, :value :nil} {:process 0, :type :ok, :f :add, :value :nil}
{:process 1, :type :invoke, :f :read} {:process 1, :type :ok, :f :read, :value (:nil nil)}`, Legal},
		"a set with a nil that was never added": {"set", `{:process 0, :type :invoke, :f :add, :value "nil"} {:process 0, :type :ok, :f :add, :value "nil"}
{:process 1, :type :invoke, :f :read, :value nil} {:process 1, :type :ok, :f :read, :value #{nil "nil"}}`, Illegal},
		"a queue out of order": {"queue", `{:process 0, :type :invoke, :f :enqueue, :value 1} {:process 0, :type :ok, :f :enqueue, :value 1}
{:process 0, :type :invoke, :f :enqueue, :value 2} {:process 0, :type :ok, :f :enqueue, :value 2}
{:process 0, :type :invoke, :f :dequeue} {:process 0, :type :ok, :f :dequeue, :value 2}`, Illegal},
		"a map and a set, written in another order": {"register", `{:process 0, :type :invoke, :f :write, :value {:a #{1 2}, :b 3}}
{:process 0, :type :ok, :f :write, :value {:a #{1 2}, :b 3}}
{:process 1, :type :invoke, :f :read} {:process 1, :type :ok, :f :read, :value {:b 3, :a #{2 1}}}`, Legal},
		"a mutex that one process holds twice": {"mutex", `{:process 0, :type :invoke, :f :acquire} {:process 0, :type :ok, :f :acquire}
{:process 0, :type :invoke, :f :acquire} {:process 0, :type :ok, :f :acquire}`, Illegal},
		"a lock that one process holds twice": {"lock", `{:process 0, :type :invoke, :f :acquire} {:process 0, :type :ok, :f :acquire}
{:process 0, :type :invoke, :f :acquire} {:process 0, :type :ok, :f :acquire}`, Legal},
		"a mutex that another process releases": {"mutex", `{:process 0, :type :invoke, :f :lock, :key 1} {:process 0, :type :ok, :f :lock, :key 1}
{:process 1, :type :invoke, :f :unlock, :key 1} {:process 1, :type :ok, :f :unlock, :key 1}
{:process 1, :type :invoke, :f :lock, :key 1} {:process 1, :type :info, :f :lock, :key 1}
{:process 2, :type :invoke, :f :unlock, :key 1} {:process 2, :type :ok, :f :unlock, :key 1}`, Legal},
		"a mutex that is released while it is free": {"mutex", `{:process 0, :type :invoke, :f :acquire} {:process 0, :type :fail, :f :acquire}
{:process 1, :type :invoke, :f :release} {:process 1, :type :ok, :f :release}`, Illegal},
		"a lock that another process releases": {"lock", `{:process 0, :type :invoke, :f :acquire} {:process 0, :type :ok, :f :acquire}
{:process 1, :type :invoke, :f :release} {:process 1, :type :ok, :f :release}`, Illegal},
		"a lock that two hold": {"lock", `{:process 0, :type :invoke, :f :acquire} {:process 0, :type :ok, :f :acquire}
{:process 1, :type :invoke, :f :acquire} {:process 1, :type :ok, :f :acquire}
{:process 0, :type :invoke, :f :release} {:process 0, :type :ok, :f :release}`, Illegal},
	}
}

func TestHistoriesOfOthersAreJudged(t *testing.T) {
	for name, f := range foreignFiles() {
		r, err := CheckFile(strings.NewReader(f.text), f.model, Options{})
		require.NoError(t, err, name)
		require.Equal(t, f.want, r.Verdict, "%s\n%s", name, r.Text())
	}
}

// A read returns the written value exactly if the two are equal by Clojure's =.
func TestValuesOfOthersAreEqualAsInClojure(t *testing.T) {
	for _, of := range []struct {
		written, read string
		want          Verdict
	}{
		{"1", "1", Legal}, {"1", `"1"`, Illegal}, {`"1"`, "1", Illegal}, {":a", `":a"`, Illegal}, {"a", `"a"`, Illegal},
		{"a", ":a", Illegal}, {"[1 2]", `"[1 2]"`, Illegal}, {"true", `"true"`, Illegal}, {`\a`, `"a"`, Illegal}, {`\a`, `\u0061`, Legal},
		{`"a"`, `"\u0061"`, Legal}, {"[1 2]", "(1 2)", Legal}, {"[1 [2]]", "[1 (2)]", Legal}, {"[1 2]", "#{1 2}", Illegal},
		{"1e3", "1000.0", Legal}, {"1", "1.0", Illegal}, {"1", "1N", Legal}, {"1", "1M", Illegal}, {"1.0", "1M", Illegal},
		{"1.50M", "150e-2M", Legal}, {"0.0", "-0.0", Legal}, {"0M", "0.00M", Legal}, {"100M", "1e2M", Legal}, {"100M", "10M", Illegal},
		{"1/2", "2/4", Legal}, {"4/2", "2", Legal}, {"1/2", "0.5", Illegal}, {"+7", "7", Legal}, {"{:a 1.0, :b 2}", "{:b 2, :a 1e0}", Legal},
		{"#{(1)}", "#{[1]}", Legal}, {"#t 1", "1", Illegal}, {"#t 1", "#t 1", Legal}, {`"\n"`, `\newline`, Illegal},
		{"1e999999999999M", "10e999999999998M", Legal}, {"0x1F", "31", Legal}, {"-0xffN", "-255", Legal}, {"2r1010", "10", Legal}, {"36rz", "34", Illegal},
	} {
		text := "{:process 0, :type :invoke, :f :write, :value " + of.written + "}\n{:process 0, :type :ok, :f :write, :value " + of.written + "}\n" +
			"{:process 1, :type :invoke, :f :read}\n{:process 1, :type :ok, :f :read, :value " + of.read + "}"
		r, err := CheckFile(strings.NewReader(text), "register", Options{})
		require.NoError(t, err, text)
		require.Equal(t, of.want, r.Verdict, "%s\n%s", text, r.Text())
	}
	r, err := CheckFile(strings.NewReader(`{:process 0, :type :invoke, :f :write, :value 1}{:process 0, :type :ok, :f :write, :value 1}
{:process 1, :type :invoke, :f :read}{:process 1, :type :ok, :f :read, :value "1"}`), "register", Options{})
	require.NoError(t, err)
	require.Contains(t, r.Text(), `read -> "1"`)
	require.Contains(t, r.Text(), "Possible there: 1.")
}

// The number 1 and the string "1" are different keys with different names.
func TestKeysOfOthersHaveTheirKinds(t *testing.T) {
	one := `{:process 0, :type :invoke, :f :acquire, :key 1} {:process 0, :type :ok, :f :acquire, :key 1}`
	for other, names := range map[string][]string{`"1"`: {`"1"`, "1"}, `"2"`: {"1", "2"}} {
		text := one + strings.NewReplacer(":key 1", ":key "+other, ":process 0", ":process 1").Replace(one)
		r, err := CheckFile(strings.NewReader(text), "lock", Options{})
		require.NoError(t, err)
		require.Equal(t, Legal, r.Verdict, r.Text())
		require.Len(t, r.Partitions, 2)
		require.Equal(t, names, []string{r.Partitions[0].Name, r.Partitions[1].Name})
	}
	r, err := CheckFile(strings.NewReader(one+strings.NewReplacer(":process 0", ":process 1").Replace(one)), "lock", Options{})
	require.NoError(t, err)
	require.Equal(t, Illegal, r.Verdict)
}

func TestFaultsOfForeignHistoriesAreNamed(t *testing.T) {
	for text, want := range map[string]string{
		"{:process 0, :type :invoke, :f :write, :value 1}\n{:process 0, :type :invoke, :f :read}": "line 2: :process: 0 invokes read while its write of line 1 is open",
		"{:process 0, :type :ok, :f :write, :value 1}":                                            "line 1: :type: :ok of process 0, which has invoked nothing",
		"\n{:type :invoke, :f :write, :value 1}":                                                  "line 2: :process: missing",
		"{:process 0, :f :write, :value 1}":                                                       "line 1: :type: missing",
		"{:process 0, :type :begin, :f :write}":                                                   "line 1: :type: :begin is not :invoke, :ok, :fail or :info",
		"{:process 0, :type :invoke, :f :txn, :value 1}":                                          "line 1: :f: :txn is no operation of this model, which has :read, :write and :cas",
		"{:process 0, :type :invoke, :f :cas, :value 3}":                                          "line 1: :value: 3 is no [old new]",
		"{:process 0, :type :invoke, :f :write}":                                                  "line 1: :value: nil where a value belongs",
		"{:process 0, :process 1}":                                                                "line 1: :process stands twice",
		"{:process 0, :type}":                                                                     "line 1: :type has no value",
		"{:process 0\n [1 2}":                                                                     `line 2: "}" closes nothing`,
		"{:process 0\n :f \"x":                                                                    "line 2: a string is not closed",
		"{:process 0":                                                                             `line 1: "{" is not closed`,
		"{:process 1x}":                                                                           "line 1: 1x is no number",
		"{:process 1/0}":                                                                          "line 1: 1/0 is no number",
		"{:process 0xg}":                                                                          "line 1: 0xg is no number",
		"{:process 37r1}":                                                                         "line 1: 37r1 is no number",
		"{:process 2r3}":                                                                          "line 1: 2r3 is no number",
		"{:process 0, :value #{1.0 1e0}}":                                                         "line 1: 1e0 stands twice",
		"; nothing\n{:process 0 :f #= x}":                                                         "line 2: #= is no tag",
		"{:process 0, :type :invoke, :f :write,\n:value ##NaN}":                                   "line 2: ##NaN is no tag",
		"{:process 0, :value \\\n}":                                                               "line 1: \\ stands before white space, and names no character",
		"{:process 0, :value #{#{1 2}\n#{2 1}}}":                                                  "line 2: #{1 2} stands twice",
		strings.Repeat("#_", 200):                                                                 "line 1: nested more than 100 deep",
		"[1 2]":                                                                                   "line 1: 1 where the map of an operation belongs",
		"INFO jepsen.util - 0 :invoke":                                                            "line 1: f: missing",
		"{:process nil, :type :invoke, :f :read}":                                                 "line 1: :process: nil is no number of a process",
		"{:process 0, :type :invoke, :f :read, :index 7}\n{:process 1, :type :invoke, :f :read, :index 4}":                                                   "line 2: :index: 4, behind 7 of line 1: a history has the events of one run, in the order of their indexes",
		"{:process 0, :type :invoke, :f :write, :value [1 5]}\n{:process 1, :type :invoke, :f :read, :value [1 nil]}\n{:process 2, :type :invoke, :f :read}": "line 3: :value: nil is no pair of a key and a value, and [1 nil] of line 2 is one",
		"{:process 0, :type :invoke, :f :write, :key 1, :value 5}\n{:process 1, :type :invoke, :f :read}":                                                    "line 2: :key: missing, and line 1 has one",
		"INFO jepsen.util - x\nINFO jepsen.util - \"p\" :invoke :read nil":                                                                                   `line 2: :process: "p" is no number of a process`,
	} {
		_, err := CheckFile(strings.NewReader(text), "register", Options{})
		require.ErrorIs(t, err, ErrFormat, text)
		require.ErrorContains(t, err, want, text)
	}
	_, err := CheckFile(strings.NewReader("\xef\xbb\xbf{:process 0, :type :invoke, :f :read}"), "register", Options{Format: FormatEDN})
	require.ErrorIs(t, err, ErrFormat)
	require.ErrorContains(t, err, "line 1: begins with a byte order mark")
	_, err = CheckFile(strings.NewReader("{:process 0, :type :invoke, :f :read}"), "file", Options{})
	require.ErrorContains(t, err, "a history for model file has the format jsonl, not edn")
	_, err = CheckFile(strings.NewReader("{:process 0, :type :invoke, :f :get}"), "kv", Options{})
	require.ErrorContains(t, err, "line 1: :key: missing")
	_, err = CheckFile(strings.NewReader("{:process 0, :type :invoke, :f :append, :key 1, :value 2}"), "kv", Options{})
	require.ErrorContains(t, err, "line 1: :value: 2 is no string: an append makes the string of a key longer")
	_, err = CheckFile(strings.NewReader("{:process 0, :type :invoke, :f :drain}"), "queue", Options{})
	require.ErrorContains(t, err, "line 1: :f: :drain is many dequeues at once")
	for text, want := range map[string]string{
		"{:process 0, :type :invoke, :f :read}\n{:process 0, :type :ok, :f :read, :value nil}":       "line 2: :value: nil where the elements of a set belong; write #{} if it was empty, and :type :fail or :info if",
		"{:process 0, :type :invoke, :f :read}\n{:process 0, :type :ok, :f :read, :value 7}":         "line 2: :value: 7 is no set, vector or list",
		"{:process 0, :type :invoke, :f :read}\n{:process 0, :type :ok, :f :read, :value #{1 \n1}}}": "line 3: 1 stands twice",
		"{:process 0, :type :invoke, :f :add}":                                                       "line 1: :value: nil where a value belongs",
	} {
		_, err = CheckFile(strings.NewReader(text), "set", Options{})
		require.ErrorIs(t, err, ErrFormat, text)
		require.ErrorContains(t, err, want, text)
	}
}

// Events that are no client's are passed over, and so are indexes that are none.
func TestEventsOfNoClientArePassedOver(t *testing.T) {
	for _, event := range []string{
		"{:process :nemesis, :type :info, :f :start}", "{:process nil, :type :info, :f :start}",
		"{:process 3, :type :invoke, :f :read, :index -1}", "{:process 3, :type :invoke, :f :read, :index nil}",
	} {
		r, err := CheckFile(strings.NewReader("{:process 0, :type :invoke, :f :write, :value 1, :index 5}\n"+event+
			"\n{:process 0, :type :ok, :f :write, :value 1, :index 6}"), "register", Options{})
		require.NoError(t, err, event)
		require.Equal(t, Legal, r.Verdict, event)
		require.Equal(t, 1, r.OK, event)
	}
}

func FuzzReadForeign(f *testing.F) {
	for _, file := range foreignFiles() {
		f.Add(file.text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		for _, format := range []Format{FormatEDN, FormatLog} {
			_, err := CheckFile(strings.NewReader(text), "kv", Options{Format: format, Budget: Budget{Steps: 1000}})
			if err != nil {
				require.ErrorIs(t, err, ErrFormat)
			}
		}
	})
}

// The error for a file that is not a history says what the file looks like.
func TestWhatIsNoHistoryIsNamed(t *testing.T) {
	for text, want := range map[string]string{
		"hello\nworld\n":           "it begins as no format does that is read: jsonl with {, edn with {: or [, and log has lines of jepsen.util; if it is one of them, name",
		"\x1f\x8b\x08\x00\x00":     "it is compressed; zcat FILE",
		"\x28\xb5\x2f\xfd\x24\x00": "it is compressed; zstdcat FILE",
		"BZh91AY":                  "it is compressed; bzcat FILE",
		"\xfd7zXZ\x00":             "it is compressed; xzcat FILE",
		`{"client":1,"call":1,"return":2,"input":{"op":"put","key":"x","value":"a"}}`: `line 1: input: json: unknown field "key": is the history for another model than lock?`,
		`{"client":1,"call":1,"return":2,"input":{"op":"put"}}`:                       `line 1: input.op: there is no operation "put"; there are acquire, try, release, close, fail, over, sequencer, check, forget`,
	} {
		_, err := CheckFile(strings.NewReader(text), "lock", Options{})
		require.ErrorIs(t, err, ErrFormat, text)
		require.ErrorContains(t, err, want, text)
	}
	_, err := CheckFile(strings.NewReader(`{"client":1,"call":1,"return":2,"input":{"op":"stat","path":"/f"},"output":{"stat":{"length":1}}}`), "file", Options{})
	require.ErrorContains(t, err, `line 1: output.stat.length: does not belong to metadata without "kind"`)
}

// A JSON array of operations is refused as such. It is not taken for EDN, although it begins like a vector.
func TestAJSONArrayIsNamed(t *testing.T) {
	array := "\n [ \n {\t\"client\":1,\"call\":1,\"return\":2,\"input\":{\"op\":\"write\",\"value\":\"a\"}}]"
	for _, format := range []Format{FormatAuto, FormatJSONL, FormatEDN} {
		_, err := CheckFile(strings.NewReader(array), "register", Options{Format: format})
		require.ErrorIs(t, err, ErrFormat)
		require.ErrorContains(t, err, "it is a JSON array, and the format jsonl has one object a line")
	}
	r, err := CheckFile(strings.NewReader(`[{:process 1, :type :invoke, :f :write, :value 1} {:process 1, :type :ok, :f :write, :value 1}]`), "register", Options{})
	require.NoError(t, err)
	require.Equal(t, Legal, r.Verdict)
}
