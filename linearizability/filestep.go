package linearizability

// step says what a call does: to the state, and to what is known of it. Where the
// model cannot know which of two answers is due, because the reply was lost that
// told a number, it takes the one that was seen; of a call that nobody saw it
// takes the one with an effect, which is no loss: without one it can be left out.
func (s FileState) step(in *FileInput, out *FileOutput) (FileState, move) {
	d := fileDeed{state: s, in: in, out: out, did: kept}
	d.do()
	if out != nil && !d.shows(out) {
		return s, refused
	}
	return d.state, d.did
}

// fileResult is the answer in state s, without the numbers that nobody knows.
func fileResult(s FileState, in FileInput) FileOutput {
	d := fileDeed{state: s, in: &in}
	d.do()
	out := FileOutput{Code: d.code, Created: d.created}
	n := d.state.get(in.Path)
	switch {
	case d.code != FileOK && d.code != FileConflict || in.Op == FileDelete:
	case in.Op == FileReadDir:
		for _, c := range d.state.children(in.Path, in.After) {
			out.Children = append(out.Children, FileChild{c.path[len(inside(in.Path)):], c.stat()})
		}
	default:
		out.Stat = n.stat()
		if in.Op == FileGet {
			out.Contents, out.Stat.Checksum = n.contents, 0 // which goes without saying
		}
	}
	return out
}

// fileDeed is a call while it is done.
type fileDeed struct {
	state   FileState
	in      *FileInput
	out     *FileOutput // nil: nobody saw it
	code    FileCode
	created bool
	did     move
}

func (d *fileDeed) saw(c FileCode) bool { return d.out != nil && d.out.Code == c }

// do finds code and created, and the state after it.
func (d *fileDeed) do() {
	if d.in.Op == FileOpen {
		d.code = d.open()
		return
	}
	n, there := d.find(d.in.Path)
	switch {
	case !there && d.in.Instance != 0:
		d.code = FileGone
	case !there:
		d.code = FileNotFound
	default:
		d.code = d.act(*n)
	}
}

// find looks for the node that in names at path p.
func (d *fileDeed) find(p string) (*fileNode, bool) {
	n, want := d.state.get(p), d.in.Instance
	switch {
	case n == nil || !n.there:
		return nil, false
	case want == 0 || n.marks.instance.is(want):
		return n, true
	case !n.marks.instance.maybe(want):
		return nil, false
	}
	m, gone := n.marks, d.saw(FileGone)
	if gone {
		m.instance = m.instance.other(want)
	} else {
		m.instance, _ = m.instance.see(want)
	}
	return d.learn(n, m), !gone
}

// learn notes what is known of n, which does not change it.
func (d *fileDeed) learn(n *fileNode, m fileMarks) *fileNode {
	if m == n.marks {
		return n
	}
	next := *n
	next.marks = m
	d.state = d.state.with(next)
	return d.state.get(n.path)
}

func (d *fileDeed) change(n fileNode) {
	d.state, d.did = d.state.with(n), changed
}

func (d *fileDeed) open() FileCode {
	in := d.in
	if in.Instance != 0 && in.Dir != "" && in.Dir != "/" {
		if _, there := d.find(in.Dir); !there {
			return FileGone
		}
	}
	n := d.state.get(in.Path)
	if n != nil && n.there {
		if in.Create == FileCreateMust {
			return FileExists
		}
		return FileOK
	}
	if in.Create == FileCreateNever {
		return FileNotFound
	}
	dir := d.state.get(parentOf(in.Path))
	switch {
	case dir == nil || !dir.there:
		return FileNotFound
	case dir.kind != FileDirectory:
		return FileNotDirectory
	}
	d.create(n, *dir)
	return FileOK
}

// create makes a node in dir, where last is what stood there before.
func (d *fileDeed) create(last *fileNode, dir fileNode) {
	in := d.in
	n := fileNode{path: in.Path, there: true, kind: in.Kind, ephemeral: in.Ephemeral}
	n.marks.instance = number{}.after()
	if last != nil {
		n.marks.instance = last.marks.instance.after()
	}
	if n.kind == FileDirectory {
		n.marks.content = none
	}
	for i := range n.marks.names {
		if n.marks.names[i] = in.Names[i]; in.Names[i] == "" {
			n.marks.names[i] = dir.marks.names[i]
		}
	}
	n.setContents(in.Contents)
	dir.children++
	d.change(dir)
	d.change(n)
	d.created = true
}

// act does what is asked of a node that is there.
func (d *fileDeed) act(n fileNode) FileCode {
	m := &n.marks
	switch d.in.Op {
	case FileGet:
		if n.kind == FileDirectory {
			return FileIsDirectory
		}
	case FileReadDir:
		if n.kind != FileDirectory {
			return FileNotDirectory
		}
	case FileSet:
		if n.kind == FileDirectory {
			return FileIsDirectory
		}
		if !d.holds(&n, &m.content) {
			return FileConflict
		}
		n.setContents(d.in.Contents)
		d.change(n)
	case FileSetNames:
		if !d.holds(&n, &m.acl) {
			return FileConflict
		}
		for i, name := range d.in.Names {
			if name != "" {
				m.names[i] = name
			}
		}
		d.change(n)
	case FileTakeLock:
		m.lock = m.lock.after()
		d.change(n)
	case FileDelete:
		return d.remove(n)
	}
	return FileOK
}

// holds tests the condition of a write to n, and moves gen, the generation of n
// that the condition is about.
func (d *fileDeed) holds(n *fileNode, gen *number) bool {
	when := d.in.When
	if when != 0 && !gen.is(when) && (!gen.maybe(when) || d.saw(FileConflict)) {
		*gen = gen.other(when)
		d.learn(d.state.get(n.path), n.marks)
		return false
	}
	*gen = gen.after()
	if when != 0 {
		*gen = number{least: when, exact: true}.after()
	}
	return true
}

func (d *fileDeed) remove(n fileNode) FileCode {
	if n.children > 0 {
		return FileNotEmpty
	}
	dir := *d.state.get(parentOf(n.path))
	dir.children--
	d.change(dir)
	d.change(fileNode{path: n.path, marks: fileMarks{instance: n.marks.instance}})
	return FileOK
}

// shows reports whether out is what the call gives.
func (d *fileDeed) shows(out *FileOutput) bool {
	if out.Code != d.code || d.code == FileOK && d.in.Op == FileOpen && out.Created != d.created {
		return false
	}
	if d.code != FileOK && d.code != FileConflict || d.in.Op == FileDelete {
		return true
	}
	if d.in.Op == FileReadDir {
		return d.lists(out)
	}
	n := d.state.get(d.in.Path)
	if d.in.Op == FileGet && out.Contents != n.contents {
		return false
	}
	return d.tells(n, &out.Stat)
}

func (d *fileDeed) tells(n *fileNode, s *FileStat) bool {
	m, ok := n.see(s)
	if ok {
		d.learn(n, m)
	}
	return ok
}

func (d *fileDeed) lists(out *FileOutput) bool {
	children := d.state.children(d.in.Path, d.in.After)
	if len(out.Children) > len(children) || out.More != (len(out.Children) < len(children)) {
		return false
	}
	prefix := len(inside(d.in.Path))
	for i := range out.Children {
		c := &out.Children[i]
		if c.Name != children[i].path[prefix:] || !d.tells(children[i], &c.Stat) {
			return false
		}
	}
	return true
}
