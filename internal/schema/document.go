package schema

import (
	"bytes"
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"reflect"
	"testing"

	"github.com/google/jsonschema-go/jsonschema"
)

var rewrite = flag.Bool("schema.write", false, "write the files of docs/schema anew")

// Document is a kind of JSON documents.
type Document struct {
	// Name is the value of its field "schema", and the name of its file but for ".json". It ends
	// in the version.
	Name string
	// Title says what prints it.
	Title string
	// Type is a value of the struct that is encoded.
	Type any
	// Enums are the values of types that have few, which are encoded as words.
	Enums map[reflect.Type][]string
	// Root is the directory of the source, from that of the test.
	Root string
}

// Golden fails the test if the file of the kind is not what its type says, or no schema of
// draft 2020-12.
func (d *Document) Golden(t testing.TB) {
	t.Helper()
	want := d.text(t)
	file := filepath.Join(d.Root, "docs", "schema", d.Name+".json")
	if *rewrite {
		if err := os.WriteFile(file, want, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	is, err := os.ReadFile(file)
	if err != nil {
		t.Fatalf("%v; -schema.write makes it", err)
	}
	if !bytes.Equal(is, want) {
		t.Errorf("%s is not what %T says. Where a field was added or explained, go test -schema.write; where one was removed, renamed, or means something else, the name needs the next version (docs/schema/README.md). The type says:\n%s", file, d.Type, want)
	}
	compiled(t, d.Name, is)
}

// Accept fails the test if a text that a command printed is not of the kind that it names, as
// the file of that describes it, or has a field that is not described. It returns the name.
func Accept(t testing.TB, root string, text []byte) string {
	t.Helper()
	var head struct {
		Schema string `json:"schema"`
	}
	if err := json.Unmarshal(text, &head); err != nil || head.Schema == "" {
		t.Fatalf("no document that names its schema: %v\n%s", err, text)
	}
	is, err := os.ReadFile(filepath.Join(root, "docs", "schema", head.Schema+".json"))
	if err != nil {
		t.Fatal(err)
	}
	var v any
	if err := json.Unmarshal(text, &v); err != nil {
		t.Fatal(err)
	}
	if err := compiled(t, head.Schema, is).Validate(v); err != nil {
		t.Errorf("it is no %s: %v\n%s", head.Schema, err, text)
	}
	return head.Schema
}

// compiled is a schema that allows no other fields than it describes.
func compiled(t testing.TB, name string, text []byte) *jsonschema.Resolved {
	t.Helper()
	var v any
	if err := json.Unmarshal(text, &v); err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	closed(v)
	text, err := json.Marshal(v)
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	s := new(jsonschema.Schema)
	if err := json.Unmarshal(text, s); err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	r, err := s.Resolve(nil)
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	return r
}

// closed has every object of a schema refuse what it does not describe.
func closed(v any) {
	switch v := v.(type) {
	case map[string]any:
		if _, ok := v["properties"].(map[string]any); ok && v["type"] == "object" {
			v["additionalProperties"] = false
		}
		for _, below := range v { // order-free: each is closed by itself
			closed(below)
		}
	case []any:
		for _, below := range v {
			closed(below)
		}
	}
}

// text is the file as the type says it is.
func (d *Document) text(t testing.TB) []byte {
	t.Helper()
	describe := describer{comments: newComments(d.Root), enums: d.Enums, named: map[string]reflect.Type{}}
	properties, required, err := describe.properties(reflect.TypeOf(d.Type))
	if err != nil {
		t.Fatalf("%s: %v", d.Name, err)
	}
	name := object{{"schema", object{{"description", "the kind of document, and its version"}, {"const", d.Name}}}}
	root := object{
		{"$schema", "https://json-schema.org/draft/2020-12/schema"},
		{"title", d.Title}, {"type", "object"},
		{"properties", name.and(properties)}, {"required", append([]string{"schema"}, required...)},
	}.with("$defs", describe.defs)
	var b bytes.Buffer
	raw, err := json.Marshal(root)
	if err == nil {
		err = json.Indent(&b, raw, "", "  ")
	}
	if err != nil {
		t.Fatalf("%s: %v", d.Name, err)
	}
	b.WriteByte('\n')
	return b.Bytes()
}
