package linearizability

import "errors"

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
	m := object{{"op", name}, {"path", text(in.Path)}}
	if in.Dir != "" {
		m = append(m, member{"dir", text(in.Dir)})
	}
	if in.Op != FileOpen || in.Dir != "" {
		m = m.number("instance", in.Instance)
	}
	makes := in.Op == FileOpen && in.Create != FileCreateNever
	if makes {
		m = append(m, member{"create", fileCreations.of(in.Create)}, member{"kind", fileKinds.of(in.Kind)})
	}
	if makes && in.Ephemeral {
		m = append(m, member{"ephemeral", true})
	}
	if in.Op == FileSet || makes && in.Kind == FilePlain {
		m = append(m, member{"contents", text(in.Contents)})
	}
	if in.Op == FileSetNames || makes && in.Names != (FileNames{}) {
		m = append(m, member{"names", in.Names.texts()})
	}
	if in.Op == FileSet || in.Op == FileSetNames {
		m = m.number("when", in.When)
	}
	if in.Op == FileReadDir && in.After != "" {
		m = append(m, member{"after", text(in.After)})
	}
	return m.encode()
}

// fileInputFields are all fields an input may have.
type fileInputFields struct {
	Op        string   `json:"op"`
	Path      optional `json:"path"`
	Dir       optional `json:"dir"`
	Instance  *uint64  `json:"instance"`
	Create    *string  `json:"create"`
	Kind      *string  `json:"kind"`
	Ephemeral *bool    `json:"ephemeral"`
	Contents  optional `json:"contents"`
	Names     *[]text  `json:"names"`
	When      *uint64  `json:"when"`
	After     optional `json:"after"`
}

func decodeFileInput(data []byte) (in FileInput, err error) {
	var f fileInputFields
	if err := strictJSON(data, &f); err != nil {
		return in, err
	}
	if err := firstBroken(broken{"path", &f.Path}, broken{"dir", &f.Dir}, broken{"contents", &f.Contents}, broken{"after", &f.After}); err != nil {
		return in, err
	}
	var ok bool
	if in.Op, ok = fileOps.value(f.Op); !ok {
		return in, field("op", "there is no operation %q", f.Op)
	}
	if f.Create != nil {
		if in.Create, ok = fileCreations.value(*f.Create); !ok {
			return in, field("create", "%q is not never, may or must", *f.Create)
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
	contents, acl := perhaps(makes), perhaps(makes)
	if op == FileSet {
		contents = must
	}
	if op == FileSetNames {
		acl = must
	}
	return checkFields(f.Op,
		use{"path", f.Path.text != nil, must},
		use{"dir", f.Dir.given, perhaps(opens)},
		use{"instance", f.Instance != nil, perhaps(!opens || f.Dir.given)},
		use{"create", f.Create != nil, perhaps(opens)},
		use{"kind", f.Kind != nil, only(makes)},
		use{"ephemeral", f.Ephemeral != nil, perhaps(makes)},
		use{"contents", f.Contents.text != nil, contents},
		use{"names", f.Names != nil, acl},
		use{"when", f.When != nil, perhaps(writes)},
		use{"after", f.After.given, perhaps(op == FileReadDir)},
	)
}

func (f *fileInputFields) fill(in *FileInput) (err error) {
	in.Path, _ = f.Path.value()
	in.Dir, _ = f.Dir.value()
	in.Contents, _ = f.Contents.value()
	in.After, _ = f.After.value()
	in.Instance, in.When = orZero(f.Instance), orZero(f.When)
	in.Ephemeral = orZero(f.Ephemeral)
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
		return 0, field("kind", "%q is not directory or file", word)
	}
	return k, nil
}

func (n FileNames) texts() []text { return []text{text(n[0]), text(n[1]), text(n[2])} }

// namesOf is the way back.
func namesOf(texts []text) (n FileNames, err error) {
	if len(texts) != len(n) {
		return n, field("names", "%d of them: those for reading, writing and changing the names", len(texts))
	}
	for i, t := range texts {
		n[i] = string(t)
	}
	return n, nil
}
