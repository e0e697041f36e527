package model

import (
	"fmt"
	"strings"
)

// fileOps are the operations' names, in files and reports.
var fileOps = Words[FileOp]{
	FileOpen: "open", FileGet: "get", FileGetStat: "stat", FileReadDir: "readdir", FileSet: "set",
	FileSetNames: "setacl", FileDelete: "delete", FileTakeLock: "lock",
}

var fileCreations = Words[FileCreation]{FileCreateNever: "never", FileCreateMay: "may", FileCreateMust: "must"}

var fileKinds = Words[FileKind]{FileDirectory: "directory", FilePlain: "file"}

var fileCodes = Words[FileCode]{
	FileOK: "ok", FileNotFound: "not found", FileExists: "exists", FileGone: "gone", FileNotEmpty: "not empty",
	FileNotDirectory: "not a directory", FileIsDirectory: "is a directory", FileConflict: "conflict",
}

// describeFileInput shows a call: "set /a/b#7 = "x" when 9".
func describeFileInput(in FileInput) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s %s", fileOps.Of(in.Op), in.Path)
	if in.Instance != 0 && in.Op != FileOpen {
		fmt.Fprintf(&b, "#%d", in.Instance)
	}
	switch in.Op {
	case FileOpen:
		describeOpen(&b, in)
	case FileReadDir:
		if in.After != "" {
			fmt.Fprintf(&b, " after %s", in.After)
		}
	case FileSet:
		fmt.Fprintf(&b, " = %q", in.Contents)
	case FileSetNames:
		fmt.Fprintf(&b, " = %s", strings.Join(in.Names[:], ","))
	}
	if in.When != 0 {
		fmt.Fprintf(&b, " when %d", in.When)
	}
	return b.String()
}

func describeOpen(b *strings.Builder, in FileInput) {
	if in.Dir != "" {
		fmt.Fprintf(b, " from %s#%d", in.Dir, in.Instance)
	}
	if in.Create == FileCreateNever {
		return
	}
	fmt.Fprintf(b, " %s create", fileCreations.Of(in.Create))
	if in.Ephemeral {
		b.WriteString(" ephemeral")
	}
	fmt.Fprintf(b, " %s", fileKinds.Of(in.Kind))
	if in.Contents != "" {
		fmt.Fprintf(b, " = %q", in.Contents)
	}
}

func describeFileOutput(in FileInput, out FileOutput) string {
	stat := describeFileStat(out.Stat)
	switch {
	case out.Code == FileConflict:
		return "conflict with " + stat
	case out.Code != FileOK:
		return fileCodes.Of(out.Code)
	case in.Op == FileDelete:
		return "ok"
	case in.Op == FileReadDir:
		return describeChildren(out)
	case in.Op == FileGet:
		return fmt.Sprintf("%q of %s", out.Contents, stat)
	case in.Op == FileOpen && out.Created:
		return "created " + stat
	}
	return stat
}

func describeChildren(out FileOutput) string {
	parts := make([]string, len(out.Children))
	for i, c := range out.Children {
		parts[i] = c.Name + " " + describeFileStat(c.Stat)
	}
	if out.More {
		parts = append(parts, "more")
	}
	return "{" + strings.Join(parts, ", ") + "}"
}

// describeFileStat shows the known fields.
func describeFileStat(s FileStat) string {
	var b strings.Builder
	if s.Kind == 0 {
		b.WriteString("node")
	} else {
		b.WriteString(fileKinds.Of(s.Kind))
	}
	if s.Instance != 0 {
		fmt.Fprintf(&b, "#%d", s.Instance)
	}
	if s.Kind != 0 && s.Ephemeral {
		b.WriteString(" ephemeral")
	}
	for _, x := range [...]struct {
		name string
		gen  uint64
	}{{"content", s.Content}, {"acl", s.ACL}, {"lock", s.Lock}} {
		if x.gen != 0 {
			fmt.Fprintf(&b, " %s %d", x.name, x.gen)
		}
	}
	if s.Kind == FilePlain && s.Length >= 0 {
		fmt.Fprintf(&b, " length %d", s.Length)
	}
	if s.Kind == FilePlain && s.Checksum != 0 {
		fmt.Fprintf(&b, " sum %016x", s.Checksum)
	}
	if s.Kind == FileDirectory && s.Children >= 0 {
		fmt.Fprintf(&b, " children %d", s.Children)
	}
	if s.Names != (FileNames{}) {
		b.WriteString(" names " + strings.Join(s.Names[:], ","))
	}
	return b.String()
}
