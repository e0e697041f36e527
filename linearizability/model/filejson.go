package model

import (
	"errors"

	"github.com/chubbycell/chubby/linearizability/strictjson"
)

// fileCodec is the codec of the file model.
func fileCodec() Codec[FileInput, FileOutput] {
	return Codec[FileInput, FileOutput]{
		EncodeInput: encodeFileInput, EncodeOutput: encodeFileOutput,
		DecodeInput: decodeFileInput, DecodeOutput: decodeFileOutput,
	}
}

func encodeFileInput(in FileInput) ([]byte, error) {
	name, ok := fileOps.word(in.Op)
	if !ok {
		return nil, errors.New("op: no such operation")
	}
	m := strictjson.Object{}.With("op", name).With("path", strictjson.Text(in.Path))
	if in.Dir != "" {
		m = m.With("dir", strictjson.Text(in.Dir))
	}
	if in.Op != FileOpen || in.Dir != "" {
		m = m.Number("instance", in.Instance)
	}
	makes := in.Op == FileOpen && in.Create != FileCreateNever
	if makes {
		m = m.With("create", fileCreations.Of(in.Create)).With("kind", fileKinds.Of(in.Kind))
	}
	if makes && in.Ephemeral {
		m = m.With("ephemeral", true)
	}
	if in.Op == FileSet || makes && in.Kind == FilePlain {
		m = m.With("contents", strictjson.Text(in.Contents))
	}
	if in.Op == FileSetNames || makes && in.Names != (FileNames{}) {
		m = m.With("names", in.Names.texts())
	}
	if in.Op == FileSet || in.Op == FileSetNames {
		m = m.Number("when", in.When)
	}
	if in.Op == FileReadDir && in.After != "" {
		m = m.With("after", strictjson.Text(in.After))
	}
	return m.Encode()
}

// fileInputFields are all fields an input may have.
type fileInputFields struct {
	Op        string              `json:"op"`
	Path      strictjson.Optional `json:"path"`
	Dir       strictjson.Optional `json:"dir"`
	Instance  *uint64             `json:"instance"`
	Create    *string             `json:"create"`
	Kind      *string             `json:"kind"`
	Ephemeral *bool               `json:"ephemeral"`
	Contents  strictjson.Optional `json:"contents"`
	Names     *[]strictjson.Text  `json:"names"`
	When      *uint64             `json:"when"`
	After     strictjson.Optional `json:"after"`
}

func decodeFileInput(data []byte) (in FileInput, err error) {
	var f fileInputFields
	if err := strictjson.Decode(data, &f); err != nil {
		return in, err
	}
	if err := strictjson.FirstError(f.Path.Broken("path"), f.Dir.Broken("dir"), f.Contents.Broken("contents"), f.After.Broken("after")); err != nil {
		return in, err
	}
	var ok bool
	if in.Op, ok = fileOps.value(f.Op); !ok {
		return in, fileOps.unknown(f.Op)
	}
	if f.Create != nil {
		if in.Create, ok = fileCreations.value(*f.Create); !ok {
			return in, strictjson.Errorf("create", "%q is not never, may or must", *f.Create)
		}
	}
	if err := f.check(in.Op, in.Create); err != nil {
		return in, err
	}
	return in, f.fill(&in)
}

// check refuses fields that do not belong to the operation.
func (f *fileInputFields) check(op FileOp, create FileCreation) error {
	opens, writes := op == FileOpen, op == FileSet || op == FileSetNames
	makes := opens && create != FileCreateNever
	contents, acl := strictjson.Perhaps(makes), strictjson.Perhaps(makes)
	if op == FileSet {
		contents = strictjson.Must
	}
	if op == FileSetNames {
		acl = strictjson.Must
	}
	return strictjson.CheckFields(f.Op,
		strictjson.Needs("path", f.Path.Text != nil, strictjson.Must),
		strictjson.Needs("dir", f.Dir.Given, strictjson.Perhaps(opens)),
		strictjson.Needs("instance", f.Instance != nil, strictjson.Perhaps(!opens || f.Dir.Given)),
		strictjson.Needs("create", f.Create != nil, strictjson.Perhaps(opens)),
		strictjson.Needs("kind", f.Kind != nil, strictjson.Only(makes)),
		strictjson.Needs("ephemeral", f.Ephemeral != nil, strictjson.Perhaps(makes)),
		strictjson.Needs("contents", f.Contents.Text != nil, contents),
		strictjson.Needs("names", f.Names != nil, acl),
		strictjson.Needs("when", f.When != nil, strictjson.Perhaps(writes)),
		strictjson.Needs("after", f.After.Given, strictjson.Perhaps(op == FileReadDir)),
	)
}

func (f *fileInputFields) fill(in *FileInput) (err error) {
	in.Path, _ = f.Path.Value()
	in.Dir, _ = f.Dir.Value()
	in.Contents, _ = f.Contents.Value()
	in.After, _ = f.After.Value()
	in.Instance, in.When = strictjson.OrZero(f.Instance), strictjson.OrZero(f.When)
	in.Ephemeral = strictjson.OrZero(f.Ephemeral)
	if f.Kind != nil {
		if in.Kind, err = kindOf(*f.Kind); err != nil {
			return err
		}
	}
	if f.Names != nil {
		in.Names, err = namesOf(*f.Names)
	}
	return err
}

func kindOf(word string) (FileKind, error) {
	k, ok := fileKinds.value(word)
	if !ok {
		return 0, strictjson.Errorf("kind", "%q is not directory or file", word)
	}
	return k, nil
}

func (n FileNames) texts() []strictjson.Text {
	return []strictjson.Text{strictjson.Text(n[0]), strictjson.Text(n[1]), strictjson.Text(n[2])}
}

// namesOf undoes texts.
func namesOf(texts []strictjson.Text) (n FileNames, err error) {
	if len(texts) != len(n) {
		return n, strictjson.Errorf("names", "%d of them: those for reading, writing and changing the names", len(texts))
	}
	for i, t := range texts {
		n[i] = string(t)
	}
	return n, nil
}
