package linearizability

import (
	"fmt"
	"strconv"
)

func encodeFileOutput(in FileInput, out FileOutput) ([]byte, error) {
	m := object{}
	if out.Code != FileOK {
		m = append(m, member{"code", fileCodes.of(out.Code)})
	}
	ok := out.Code == FileOK
	switch {
	case ok && in.Op == FileReadDir:
		children := make([]object, len(out.Children))
		for i, c := range out.Children {
			children[i] = object{{"name", text(c.Name)}, {"stat", c.Stat.object()}}
		}
		m = append(m, member{"children", children})
		if out.More {
			m = append(m, member{"more", true})
		}
		return m.encode()
	case ok && in.Op == FileOpen:
		m = append(m, member{"created", out.Created})
	case ok && in.Op == FileGet:
		m = append(m, member{"contents", text(out.Contents)})
	}
	if stat := out.Stat.object(); len(stat) > 0 && (ok && in.Op != FileDelete || out.Code == FileConflict) {
		m = append(m, member{"stat", stat})
	}
	return m.encode()
}

// object has what s tells.
func (s *FileStat) object() object {
	m := object{}
	if s.Kind != 0 {
		m = append(m, member{"kind", fileKinds.of(s.Kind)})
		if s.Ephemeral {
			m = append(m, member{"ephemeral", true})
		}
	}
	m = m.number("instance", s.Instance).number("content", s.Content).number("acl", s.ACL).number("lock", s.Lock)
	if s.Kind == FilePlain && s.Length >= 0 {
		m = append(m, member{"length", s.Length})
	}
	if s.Kind == FilePlain && s.Checksum != 0 {
		m = append(m, member{"checksum", fmt.Sprintf("%016x", s.Checksum)})
	}
	if s.Kind == FileDirectory && s.Children >= 0 {
		m = append(m, member{"children", s.Children})
	}
	if s.Names != (FileNames{}) {
		m = append(m, member{"names", s.Names.texts()})
	}
	return m
}

// fileOutputFields are all fields an output may have.
type fileOutputFields struct {
	Code     *string            `json:"code"`
	Created  *bool              `json:"created"`
	Contents optional           `json:"contents"`
	Children *[]fileChildFields `json:"children"`
	More     *bool              `json:"more"`
	Stat     *fileStatFields    `json:"stat"`
}

type fileChildFields struct {
	Name optional       `json:"name"`
	Stat fileStatFields `json:"stat"`
}

// fileStatFields are all fields that metadata may have.
type fileStatFields struct {
	Kind      *string `json:"kind"`
	Ephemeral *bool   `json:"ephemeral"`
	Instance  uint64  `json:"instance"`
	Content   uint64  `json:"content"`
	ACL       uint64  `json:"acl"`
	Lock      uint64  `json:"lock"`
	Length    *uint32 `json:"length"`
	Checksum  *string `json:"checksum"`
	Children  *uint32 `json:"children"`
	Names     *[]text `json:"names"`
}

func decodeFileOutput(in FileInput, data []byte) (out FileOutput, err error) {
	var f fileOutputFields
	if err := objectOrNothing(data, &f); err != nil {
		return out, err
	}
	if err := firstBroken(broken{"contents", &f.Contents}); err != nil {
		return out, err
	}
	if f.Code != nil {
		var ok bool
		if out.Code, ok = fileCodes.value(*f.Code); !ok {
			return out, field("code", "there is no code %q", *f.Code)
		}
	}
	if err := f.check(in.Op, out.Code); err != nil {
		return out, err
	}
	out.Created, out.More = orZero(f.Created), orZero(f.More)
	out.Contents, _ = f.Contents.value()
	if f.Stat != nil {
		if out.Stat, err = f.Stat.stat(); err != nil {
			return out, below("stat", err)
		}
	}
	for i, c := range orZero(f.Children) {
		child, err := c.child()
		if err != nil {
			return out, below(fmt.Sprintf("children[%d]", i), err)
		}
		out.Children = append(out.Children, child)
	}
	return out, nil
}

func (f *fileOutputFields) check(op FileOp, code FileCode) error {
	ok := code == FileOK
	return checkFields("this operation's output",
		use{"created", f.Created != nil, only(ok && op == FileOpen)},
		use{"contents", f.Contents.text != nil, only(ok && op == FileGet)},
		use{"children", f.Children != nil, only(ok && op == FileReadDir)},
		use{"more", f.More != nil, perhaps(ok && op == FileReadDir)},
		use{"stat", f.Stat != nil, perhaps(ok && op != FileReadDir && op != FileDelete || code == FileConflict)},
	)
}

func (f *fileChildFields) child() (c FileChild, err error) {
	if err := firstBroken(broken{"name", &f.Name}); err != nil {
		return c, err
	}
	if f.Name.text == nil {
		return c, field("name", "missing")
	}
	c.Name, _ = f.Name.value()
	if c.Stat, err = f.Stat.stat(); err != nil {
		err = below("stat", err)
	}
	return c, err
}

func (f *fileStatFields) stat() (s FileStat, err error) {
	s = FileStat{Instance: f.Instance, Content: f.Content, ACL: f.ACL, Lock: f.Lock, Ephemeral: orZero(f.Ephemeral)}
	if f.Kind != nil {
		if s.Kind, err = kindOf(*f.Kind); err != nil {
			return s, err
		}
	}
	file, directory := s.Kind == FilePlain, s.Kind == FileDirectory
	err = checkFields("metadata of this kind",
		use{"ephemeral", f.Ephemeral != nil, perhaps(f.Kind != nil)},
		use{"length", f.Length != nil, perhaps(file)},
		use{"checksum", f.Checksum != nil, perhaps(file)},
		use{"children", f.Children != nil, perhaps(directory)})
	if err != nil {
		return s, err
	}
	if s.Length = int64(orZero(f.Length)); file && f.Length == nil {
		s.Length = -1
	}
	if s.Children = int64(orZero(f.Children)); directory && f.Children == nil {
		s.Children = -1
	}
	if f.Checksum != nil {
		if s.Checksum, err = strconv.ParseUint(*f.Checksum, 16, 64); err != nil {
			return s, field("checksum", "%q is not 64 bits in hex", *f.Checksum)
		}
	}
	if f.Names != nil {
		s.Names, err = namesOf(*f.Names)
	}
	return s, err
}
