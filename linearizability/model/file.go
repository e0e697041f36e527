package model

import (
	"strings"

	"github.com/chubbycell/chubby/linearizability/strictjson"
)

// FileOp is an operation of the file model.
type FileOp uint8

const (
	// FileOpen finds the node at Path, or creates it, as Create says. Output: Created, Stat;
	// FileNotFound, FileExists, FileNotDirectory, FileGone.
	FileOpen FileOp = iota + 1
	// FileGet reads contents. Output: Contents, Stat; FileIsDirectory.
	FileGet
	// FileGetStat reads metadata. Output: Stat.
	FileGetStat
	// FileReadDir reads the children of a directory whose names are above After. Output: Children, More;
	// FileNotDirectory.
	FileReadDir
	// FileSet replaces contents, if their generation is When or When is 0. Output:
	// the new Stat; FileConflict with the present Stat; FileIsDirectory.
	FileSet
	// FileSetNames replaces the names of access control lists, if their
	// generation is When or When is 0. Output: the new Stat; FileConflict with the present Stat.
	FileSetNames
	// FileDelete removes a node without children; the root stays. No output;
	// FileNotEmpty.
	FileDelete
	// FileTakeLock records that the node's lock went from free to held, which changes its lock
	// generation. The caller is the client that was granted the lock. Output: Stat.
	FileTakeLock
)

// FileCreation is what FileOpen does depending on whether the node exists.
type FileCreation uint8

// The creations.
const (
	FileCreateNever FileCreation = iota // FileNotFound if it does not exist
	FileCreateMay
	FileCreateMust // FileExists if it exists
)

// FileKind is the kind of a node.
type FileKind uint8

// The kinds of nodes.
const (
	FileDirectory FileKind = iota + 1
	FilePlain              // a file
)

// FileNames are the names of a node's access control lists, for reading, writing and changing
// them. An empty name is unknown or, in a call, not given: a new node then has the name of its
// directory.
type FileNames [3]string

// FileInput is a call of the file model.
type FileInput struct {
	Op FileOp
	// Path names the node from the root: "/", or "/a/b".
	Path string
	// Instance is the instance of the node at Path (for FileOpen: of Dir), as some answer reported it; 0: any.
	Instance uint64
	// Dir is, for FileOpen, the node whose handle the call used: Path or a directory above it.
	// Empty: none.
	Dir       string
	Create    FileCreation // FileOpen; the next three: of a created node
	Kind      FileKind
	Ephemeral bool
	Contents  string // FileOpen, FileSet
	Names     FileNames
	When      uint64
	After     string
}

// FileCode is how a call ended.
type FileCode uint8

// The codes.
const (
	FileOK           FileCode = iota
	FileNotFound              // there is no node at the path or, for a creation, at the path of its directory
	FileExists                // the node exists
	FileGone                  // the instance does not exist any more
	FileNotEmpty              // it has children
	FileNotDirectory          // the node or, for a creation, the node above it is a file
	FileIsDirectory           // it is a directory
	FileConflict              // the generation is not When
)

// FileStat is the metadata of a node. Unknown fields are not checked. Instance, the generations and Checksum are
// unknown if 0, Length and Children if negative. If Kind is 0, it is unknown, and so are Ephemeral, Length, Checksum
// and Children.
type FileStat struct {
	Kind      FileKind
	Ephemeral bool
	Instance  uint64
	Content   uint64 // generation; a directory has none
	ACL       uint64 // generation
	Lock      uint64 // generation
	Length    int64  // of a file's contents, in bytes
	Checksum  uint64 // of a file's contents: XXH64
	Children  int64  // of a directory
	Names     FileNames
}

// FileChild is a directory entry.
type FileChild struct {
	Name string
	Stat FileStat
}

// FileOutput is a result of the file model. Which fields count depends on the
// operation, see FileOp; the others are ignored.
type FileOutput struct {
	Code     FileCode
	Created  bool // FileOpen made the node
	More     bool // there are children after the listed ones
	Contents string
	Stat     FileStat // with FileOK and FileConflict
	Children []FileChild
}

// File is the model of a strict tree of files and directories: each node except the root is in
// a directory, and no node moves. At the start there is the root, about which nothing else is
// known. Other nodes that exist before the first call are created by calls of a separate
// client.
//
// A node has an instance, which no other node at its path has before or after, and generations
// of its contents, its access control lists and its lock. The model takes all of them as the
// history reports them: a new node's instance is above that of any earlier one at its path,
// each change has a higher generation than the last one, and a read returns the generation of
// the last change. The number of a change whose reply was lost is unknown until some operation
// reads it.
//
// A call that was refused for reasons outside of the model (a right, a quota, a sequencer) has no effect and no result.
// It must have OutcomeFailed and no position, even if the refusal was decided in the log. What the system does by
// itself, such as removing an ephemeral node that no client has open, is a call of a separate client.
//
// If a history allows several answers, the witness check takes the first one, and may then refuse a correct order. To
// avoid that, report the results of operations of unknown outcome (Operation.WitnessOutput) and, by a first call, the
// state of the root.
//
// The tree is one partition. If no operation depends on the root (lists it, sets its names, or
// reports more than numbers of it), the nodes below each child of the root are checked
// separately.
func File() *Model[FileState, FileInput, FileOutput] {
	m := &Model[FileState, FileInput, FileOutput]{
		Name:           "file",
		Init:           newFileState,
		Result:         fileResult,
		ReadOnly:       fileReadOnly,
		Narrow:         fileNarrow,
		Settle:         fileSettle,
		Equal:          FileState.equal,
		Hash:           FileState.hash,
		Size:           FileState.size,
		Validate:       fileValidate,
		DescribeInput:  describeFileInput,
		DescribeOutput: describeFileOutput,
		DescribeState:  FileState.String,
		Codec:          fileCodec(),
	}
	step := stepper[FileState, FileInput, FileOutput](FileState.step)
	step.setModel(m)
	m.Replayer = func() Replayer[FileInput, FileOutput] {
		return newStateReplayer(step, newFileState(), func(*FileInput) struct{} { return struct{}{} })
	}
	return m
}

func fileReadOnly(in FileInput) bool {
	switch in.Op {
	case FileGet, FileGetStat, FileReadDir:
		return true
	case FileOpen:
		return in.Create == FileCreateNever
	}
	return false
}

// fileNarrow returns the child of the root at or below which a call acts. For a call on the root it returns "/"; ok is
// false if the other parts may depend on that call: it lists the root, sets its names, or reports more than its numbers.
func fileNarrow(in FileInput, out FileOutput) (part string, ok bool) {
	if in.Path == "/" {
		seen := out.Stat.Kind != 0 || out.Stat.Names != FileNames{}
		return "/", in.Op != FileReadDir && in.Op != FileSetNames && !seen
	}
	top, _, _ := strings.Cut(in.Path[1:], "/")
	return "/" + top, true
}

func fileValidate(in FileInput) error {
	switch {
	case in.Op < FileOpen || in.Op > FileTakeLock:
		return strictjson.Errorf("op", "no such operation %d", in.Op)
	case !validPath(in.Path):
		return strictjson.Errorf("path", `%q is not "/" or such as "/a/b"`, in.Path)
	case in.Op == FileDelete && in.Path == "/":
		return strictjson.Errorf("path", "the root is never deleted")
	case in.Op != FileOpen:
		return nil
	case in.Create > FileCreateMust:
		return strictjson.Errorf("create", "no such creation %d", in.Create)
	case in.Create != FileCreateNever && in.Kind != FileDirectory && in.Kind != FilePlain:
		return strictjson.Errorf("kind", "no such kind %d", in.Kind)
	case in.Kind == FileDirectory && in.Contents != "":
		return strictjson.Errorf("contents", "a directory has none")
	case in.Dir != "" && (!validPath(in.Dir) || !within(in.Path, in.Dir)):
		return strictjson.Errorf("dir", "%q is neither %q nor a directory above it", in.Dir, in.Path)
	}
	return nil
}

func validPath(p string) bool {
	if p == "/" {
		return true
	}
	return strings.HasPrefix(p, "/") && !strings.HasSuffix(p, "/") && !strings.Contains(p, "//")
}

// within reports whether p is dir or is below it.
func within(p, dir string) bool { return p == dir || strings.HasPrefix(p, inside(dir)) }

// inside returns the prefix of the paths below dir.
func inside(dir string) string {
	if dir == "/" {
		return dir
	}
	return dir + "/"
}

// parentOf returns the path of the directory of p. p must not be the root.
func parentOf(p string) string {
	if i := strings.LastIndexByte(p, '/'); i > 0 {
		return p[:i]
	}
	return "/"
}
