package model

// step computes what a call does to the state, and which numbers become known. If an unknown number makes two answers
// possible, it takes the observed one. If the output is unknown, it takes the answer with an effect; no order is lost,
// because an operation without effect can be left out.
func (s FileState) step(in *FileInput, out *FileOutput) (FileState, transition) {
	d := fileCall{state: s, in: in, out: out, did: stateKept}
	d.run()
	if out != nil && !d.matchOutput(out) {
		return s, notPossible
	}
	return d.state, d.did
}

// fileResult returns the answer in state s, without numbers that are unknown.
func fileResult(s FileState, in FileInput) FileOutput {
	d := fileCall{state: s, in: &in}
	d.run()
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
			out.Contents, out.Stat.Checksum = n.contents, 0 // follows from the contents
		}
	}
	return out
}

// fileCall is a call in execution.
type fileCall struct {
	state   FileState
	in      *FileInput
	out     *FileOutput // nil: unknown
	code    FileCode
	created bool
	did     transition
}

func (d *fileCall) hasCode(c FileCode) bool { return d.out != nil && d.out.Code == c }

// run computes code and created, and the state after the call.
func (d *fileCall) run() {
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
		d.code = d.execute(*n)
	}
}

// find returns the node at path p, if it is the one that the call means.
func (d *fileCall) find(p string) (*fileNode, bool) {
	n, want := d.state.get(p), d.in.Instance
	switch {
	case n == nil || !n.there:
		return nil, false
	case want == 0 || n.marks.instance.is(want):
		return n, true
	case !n.marks.instance.canBe(want):
		return nil, false
	}
	m, gone := n.marks, d.hasCode(FileGone)
	if gone {
		m.instance = m.instance.exclude(want)
	} else {
		m.instance, _ = m.instance.observe(want)
	}
	return d.learn(n, m), !gone
}

// learn records what became known about n. That is no change of the state.
func (d *fileCall) learn(n *fileNode, m fileMarks) *fileNode {
	if m == n.marks {
		return n
	}
	next := *n
	next.marks = m
	d.state = d.state.replace(next)
	return d.state.get(n.path)
}

func (d *fileCall) change(n fileNode) {
	d.state, d.did = d.state.replace(n), stateChanged
}

func (d *fileCall) open() FileCode {
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

// create makes a node in dir. last is the last node at the path before; nil: there was none.
func (d *fileCall) create(last *fileNode, dir fileNode) {
	in := d.in
	n := fileNode{path: in.Path, there: true, kind: in.Kind, ephemeral: in.Ephemeral}
	n.marks.instance = number{}.after()
	if last != nil {
		n.marks.instance = last.marks.instance.after()
	}
	if n.kind == FileDirectory {
		n.marks.content = noNumber
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

// execute executes a call on an existing node.
func (d *fileCall) execute(n fileNode) FileCode {
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
		if !d.checkCondition(&n, &m.content) {
			return FileConflict
		}
		n.setContents(d.in.Contents)
		d.change(n)
	case FileSetNames:
		if !d.checkCondition(&n, &m.acl) {
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

// checkCondition checks the condition of a write to n, and advances gen, the generation of n
// that the condition is about.
func (d *fileCall) checkCondition(n *fileNode, gen *number) bool {
	when := d.in.When
	if when != 0 && !gen.is(when) && (!gen.canBe(when) || d.hasCode(FileConflict)) {
		*gen = gen.exclude(when)
		d.learn(d.state.get(n.path), n.marks)
		return false
	}
	*gen = gen.after()
	if when != 0 {
		*gen = number{least: when, exact: true}.after()
	}
	return true
}

func (d *fileCall) remove(n fileNode) FileCode {
	if n.children > 0 {
		return FileNotEmpty
	}
	dir := *d.state.get(parentOf(n.path))
	dir.children--
	d.change(dir)
	d.change(fileNode{path: n.path, marks: fileMarks{instance: n.marks.instance}})
	return FileOK
}

// matchOutput reports whether out can be the output of the call.
func (d *fileCall) matchOutput(out *FileOutput) bool {
	if out.Code != d.code || d.code == FileOK && d.in.Op == FileOpen && out.Created != d.created {
		return false
	}
	if d.code != FileOK && d.code != FileConflict || d.in.Op == FileDelete {
		return true
	}
	if d.in.Op == FileReadDir {
		return d.matchListing(out)
	}
	n := d.state.get(d.in.Path)
	if d.in.Op == FileGet && out.Contents != n.contents {
		return false
	}
	return d.matchStat(n, &out.Stat)
}

func (d *fileCall) matchStat(n *fileNode, s *FileStat) bool {
	m, ok := n.observe(s)
	if ok {
		d.learn(n, m)
	}
	return ok
}

func (d *fileCall) matchListing(out *FileOutput) bool {
	children := d.state.children(d.in.Path, d.in.After)
	if len(out.Children) > len(children) || out.More != (len(out.Children) < len(children)) {
		return false
	}
	prefix := len(inside(d.in.Path))
	for i := range out.Children {
		c := &out.Children[i]
		if c.Name != children[i].path[prefix:] || !d.matchStat(children[i], &c.Stat) {
			return false
		}
	}
	return true
}
