package model

import (
	"fmt"
	"strconv"

	"github.com/chubbycell/chubby/linearizability/strictjson"
)

func encodeFileOutput(in FileInput, out FileOutput) ([]byte, error) {
	m := strictjson.Object{}
	if out.Code != FileOK {
		m = m.With("code", fileCodes.Of(out.Code))
	}
	ok := out.Code == FileOK
	switch {
	case ok && in.Op == FileReadDir:
		children := make([]strictjson.Object, len(out.Children))
		for i, c := range out.Children {
			children[i] = strictjson.Object{}.With("name", strictjson.Text(c.Name)).With("stat", c.Stat.object())
		}
		m = m.With("children", children)
		if out.More {
			m = m.With("more", true)
		}
		return m.Encode()
	case ok && in.Op == FileOpen:
		m = m.With("created", out.Created)
	case ok && in.Op == FileGet:
		m = m.With("contents", strictjson.Text(out.Contents))
	}
	if stat := out.Stat.object(); len(stat) > 0 && (ok && in.Op != FileDelete || out.Code == FileConflict) {
		m = m.With("stat", stat)
	}
	return m.Encode()
}

// object returns the known fields of s.
func (s *FileStat) object() strictjson.Object {
	m := strictjson.Object{}
	if s.Kind != 0 {
		m = m.With("kind", fileKinds.Of(s.Kind))
		if s.Ephemeral {
			m = m.With("ephemeral", true)
		}
	}
	m = m.Number("instance", s.Instance).Number("content", s.Content).Number("acl", s.ACL).Number("lock", s.Lock)
	if s.Kind == FilePlain && s.Length >= 0 {
		m = m.With("length", s.Length)
	}
	if s.Kind == FilePlain && s.Checksum != 0 {
		m = m.With("checksum", fmt.Sprintf("%016x", s.Checksum))
	}
	if s.Kind == FileDirectory && s.Children >= 0 {
		m = m.With("children", s.Children)
	}
	if s.Names != (FileNames{}) {
		m = m.With("names", s.Names.texts())
	}
	return m
}

// fileOutputFields are all fields an output may have.
type fileOutputFields struct {
	Code     *string             `json:"code"`
	Created  *bool               `json:"created"`
	Contents strictjson.Optional `json:"contents"`
	Children *[]fileChildFields  `json:"children"`
	More     *bool               `json:"more"`
	Stat     *fileStatFields     `json:"stat"`
}

type fileChildFields struct {
	Name strictjson.Optional `json:"name"`
	Stat fileStatFields      `json:"stat"`
}

// fileStatFields are all fields that metadata may have.
type fileStatFields struct {
	Kind      *string            `json:"kind"`
	Ephemeral *bool              `json:"ephemeral"`
	Instance  uint64             `json:"instance"`
	Content   uint64             `json:"content"`
	ACL       uint64             `json:"acl"`
	Lock      uint64             `json:"lock"`
	Length    *uint32            `json:"length"`
	Checksum  *string            `json:"checksum"`
	Children  *uint32            `json:"children"`
	Names     *[]strictjson.Text `json:"names"`
}

func decodeFileOutput(in FileInput, data []byte) (out FileOutput, err error) {
	var f fileOutputFields
	if err := strictjson.DecodeOptional(data, &f); err != nil {
		return out, err
	}
	if err := strictjson.FirstError(f.Contents.Broken("contents")); err != nil {
		return out, err
	}
	if f.Code != nil {
		var ok bool
		if out.Code, ok = fileCodes.value(*f.Code); !ok {
			return out, strictjson.Errorf("code", "there is no code %q", *f.Code)
		}
	}
	if err := f.check(in.Op, out.Code); err != nil {
		return out, err
	}
	out.Created, out.More = strictjson.OrZero(f.Created), strictjson.OrZero(f.More)
	out.Contents, _ = f.Contents.Value()
	if f.Stat != nil {
		if out.Stat, err = f.Stat.stat(); err != nil {
			return out, strictjson.Below("stat", err)
		}
	}
	for i, c := range strictjson.OrZero(f.Children) {
		child, err := c.child()
		if err != nil {
			return out, strictjson.Below(fmt.Sprintf("children[%d]", i), err)
		}
		out.Children = append(out.Children, child)
	}
	return out, nil
}

func (f *fileOutputFields) check(op FileOp, code FileCode) error {
	ok := code == FileOK
	return strictjson.CheckFields("this operation's output",
		strictjson.Needs("created", f.Created != nil, strictjson.Only(ok && op == FileOpen)),
		strictjson.Needs("contents", f.Contents.Text != nil, strictjson.Only(ok && op == FileGet)),
		strictjson.Needs("children", f.Children != nil, strictjson.Only(ok && op == FileReadDir)),
		strictjson.Needs("more", f.More != nil, strictjson.Perhaps(ok && op == FileReadDir)),
		strictjson.Needs("stat", f.Stat != nil, strictjson.Perhaps(ok && op != FileReadDir && op != FileDelete || code == FileConflict)),
	)
}

func (f *fileChildFields) child() (c FileChild, err error) {
	if err := strictjson.FirstError(f.Name.Broken("name")); err != nil {
		return c, err
	}
	if f.Name.Text == nil {
		return c, strictjson.Errorf("name", "missing")
	}
	c.Name, _ = f.Name.Value()
	if c.Stat, err = f.Stat.stat(); err != nil {
		err = strictjson.Below("stat", err)
	}
	return c, err
}

func (f *fileStatFields) stat() (s FileStat, err error) {
	s = FileStat{Instance: f.Instance, Content: f.Content, ACL: f.ACL, Lock: f.Lock, Ephemeral: strictjson.OrZero(f.Ephemeral)}
	if f.Kind != nil {
		if s.Kind, err = kindOf(*f.Kind); err != nil {
			return s, err
		}
	}
	file, directory := s.Kind == FilePlain, s.Kind == FileDirectory
	of := "metadata of this kind"
	if f.Kind == nil {
		of = `metadata without "kind"`
	}
	err = strictjson.CheckFields(of,
		strictjson.Needs("ephemeral", f.Ephemeral != nil, strictjson.Perhaps(f.Kind != nil)),
		strictjson.Needs("length", f.Length != nil, strictjson.Perhaps(file)),
		strictjson.Needs("checksum", f.Checksum != nil, strictjson.Perhaps(file)),
		strictjson.Needs("children", f.Children != nil, strictjson.Perhaps(directory)))
	if err != nil {
		return s, err
	}
	if s.Length = int64(strictjson.OrZero(f.Length)); file && f.Length == nil {
		s.Length = -1
	}
	if s.Children = int64(strictjson.OrZero(f.Children)); directory && f.Children == nil {
		s.Children = -1
	}
	if f.Checksum != nil {
		if s.Checksum, err = strconv.ParseUint(*f.Checksum, 16, 64); err != nil {
			return s, strictjson.Errorf("checksum", "%q is not 64 bits in hex", *f.Checksum)
		}
	}
	if f.Names != nil {
		s.Names, err = namesOf(*f.Names)
	}
	return s, err
}
