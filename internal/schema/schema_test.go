package schema

import (
	"encoding/json"
	"os"
	"path/filepath"
	"reflect"
	"testing"

	"github.com/stretchr/testify/require"
)

// told keeps what fails instead of failing.
type told struct {
	testing.TB
	errors int
}

func (t *told) Helper()               {}
func (t *told) Errorf(string, ...any) { t.errors++ }
func (t *told) Fatalf(string, ...any) { t.errors++; panic(t) }
func (t *told) Fatal(...any)          { t.errors++; panic(t) }

// failures are how often f fails a test.
func failures(t *testing.T, f func(testing.TB)) int {
	l := &told{TB: t}
	func() {
		defer func() {
			if r := recover(); r != nil && r != any(l) {
				panic(r)
			}
		}()
		f(l)
	}()
	return l.errors
}

type inner struct {
	Name string `json:"name"`
}

type Embedded struct {
	More *float64 `json:"more"`
}

// sample has what is described in one way or another.
type sample struct {
	Embedded
	Seed  uint64         `json:"seed"` // the first
	Kind  kind           `json:"kind"`
	Names []inner        `json:"names"`
	By    map[string]int `json:"by"`
	One   *inner         `json:"one,omitempty"`
	Bytes []byte         `json:"bytes,omitempty"`
}

type kind string

func write(t *testing.T, d *Document) {
	require.NoError(t, os.MkdirAll(filepath.Join(d.Root, "docs/schema"), 0o755))
	require.NoError(t, os.WriteFile(filepath.Join(d.Root, "docs/schema", d.Name+".json"), d.text(t), 0o644))
}

// No type of this module's packages, so that there are no comments to look for.
func local(root string) *Document {
	return &Document{
		Name: "chubby-sample-1", Title: "a sample", Root: root,
		Type: struct {
			Seed  uint64         `json:"seed"`
			Kind  kind           `json:"kind"`
			More  *float64       `json:"more"`
			By    map[string]int `json:"by"`
			Names []string       `json:"names,omitempty"`
		}{},
		Enums: map[reflect.Type][]string{reflect.TypeFor[kind](): {"a", "b"}},
	}
}

func TestWhatIsPrintedMustBeWhatIsDescribed(t *testing.T) {
	d := local(t.TempDir())
	write(t, d)
	for text, want := range map[string]int{
		`{"schema":"chubby-sample-1","seed":1,"kind":"a","more":null,"by":{"x":1}}`:                  0,
		`{"schema":"chubby-sample-1","seed":1,"kind":"b","more":1.5,"by":{},"names":["n"]}`:          0,
		`{"schema":"chubby-sample-1","seed":-1,"kind":"a","more":null,"by":{}}`:                      1,
		`{"schema":"chubby-sample-1","seed":1,"kind":"c","more":null,"by":{}}`:                       1,
		`{"schema":"chubby-sample-1","seed":1,"kind":"a","by":{}}`:                                   1,
		`{"schema":"chubby-sample-1","seed":1,"kind":"a","more":null,"by":null}`:                     1,
		`{"schema":"chubby-sample-1","seed":1,"kind":"a","more":null,"by":{},"names":null}`:          1,
		`{"schema":"chubby-sample-1","seed":1,"kind":"a","more":null,"by":{},"unknown":1}`:           1,
		`{"schema":"chubby-sample-2","seed":1,"kind":"a","more":null,"by":{}}`:                       1,
		`{"seed":1,"kind":"a","more":null,"by":{}}`:                                                  1,
		`{"schema":"chubby-sample-1","seed":1,"kind":"a","more":null,"by":{}} {"schema":"and more"}`: 1,
	} {
		require.Equal(t, want, failures(t, func(l testing.TB) { Accept(l, d.Root, []byte(text)) }), text)
	}
}

func TestATypeThatChangesAloneIsNoticed(t *testing.T) {
	d := local(t.TempDir())
	require.Equal(t, 1, failures(t, func(l testing.TB) { d.Golden(l) }), "there is no file")
	write(t, d)
	require.Zero(t, failures(t, func(l testing.TB) { d.Golden(l) }))
	d.Type = struct {
		Seed int `json:"seed"`
	}{}
	require.Equal(t, 1, failures(t, func(l testing.TB) { d.Golden(l) }))
}

// What stands at fields and types in the source is in the file; what is embedded stands among
// the others, and a struct is described once.
func TestCommentsAndEmbeddedStructs(t *testing.T) {
	describe := describer{comments: newComments("testdata"), named: map[string]reflect.Type{}}
	source := `package schema

// inner is a name.
type inner struct { Name string }

type Embedded struct { More *float64 }

type sample struct {
	// Seed is
	// it.
	Seed uint64 // the first
}
`
	describe.comments.root = t.TempDir()
	dir := filepath.Join(describe.comments.root, "internal/schema")
	require.NoError(t, os.MkdirAll(dir, 0o755))
	require.NoError(t, os.WriteFile(filepath.Join(dir, "a.go"), []byte(source), 0o644))
	properties, required, err := describe.properties(reflect.TypeFor[sample]())
	require.NoError(t, err)
	require.Equal(t, []string{"more", "seed", "kind", "names", "by"}, required)
	text, err := json.Marshal(properties)
	require.NoError(t, err)
	require.JSONEq(t, `{
		"more": {"anyOf": [{"type": "number"}, {"type": "null"}]},
		"seed": {"description": "Seed is it. the first", "type": "integer", "minimum": 0},
		"kind": {"type": "string"},
		"names": {"type": "array", "items": {"$ref": "#/$defs/inner"}},
		"by": {"type": "object", "additionalProperties": {"type": "integer"}},
		"one": {"$ref": "#/$defs/inner"},
		"bytes": {"type": "string", "contentEncoding": "base64"}
	}`, string(text))
	text, err = json.Marshal(describe.defs)
	require.NoError(t, err)
	require.JSONEq(t, `{"inner": {"type": "object", "description": "inner is a name.", "properties": {"name": {"type": "string"}}, "required": ["name"]}}`, string(text))
}
