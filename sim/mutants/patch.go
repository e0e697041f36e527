package mutants

import (
	"fmt"
	"strconv"
	"strings"
)

// Patch is a parsed unified diff.
type Patch struct{ files []filePatch }

type filePatch struct {
	path  string // from the module's root
	hunks []hunk
}

type hunk struct {
	at    int      // line in the old file, from 1; a hint
	lines []string // each begins with ' ', '-' or '+'
}

// Paths returns the files that a patch changes, relative to the module's root.
func (p Patch) Paths() []string {
	var all []string
	for _, f := range p.files {
		all = append(all, f.path)
	}
	return all
}

// parsePatch reads a unified diff. It supports only changes of existing files; a mutant may do nothing else.
func parsePatch(text string) (Patch, error) {
	var p Patch
	lines := strings.Split(strings.TrimSuffix(text, "\n"), "\n")
	for i := 0; i < len(lines); i++ {
		line := lines[i]
		switch {
		case strings.HasPrefix(line, "--- "):
		case strings.HasPrefix(line, "+++ "):
			path := strings.Fields(line)[1]
			p.files = append(p.files, filePatch{path: strings.TrimPrefix(path, "b/")})
		case strings.HasPrefix(line, "@@"):
			if len(p.files) == 0 {
				return p, fmt.Errorf("line %d: a hunk before any file", i+1)
			}
			h, used, err := parseHunk(lines[i:])
			if err != nil {
				return p, fmt.Errorf("line %d: %w", i+1, err)
			}
			f := &p.files[len(p.files)-1]
			f.hunks = append(f.hunks, h)
			i += used - 1
		case line == "" || strings.HasPrefix(line, "diff ") || strings.HasPrefix(line, "index "):
		default:
			return p, fmt.Errorf("line %d: %q is no part of a unified diff", i+1, line)
		}
	}
	if len(p.files) == 0 {
		return p, fmt.Errorf("no file is changed")
	}
	return p, nil
}

// parseHunk reads "@@ -a,b +c,d @@" and as many lines as its counts say. It returns the hunk and the number of lines.
func parseHunk(lines []string) (hunk, int, error) {
	fields := strings.Fields(lines[0])
	if len(fields) < 3 {
		return hunk{}, 0, fmt.Errorf("malformed hunk header %q", lines[0])
	}
	at, old, err1 := rangeOf(fields[1], "-")
	_, now, err2 := rangeOf(fields[2], "+")
	if err1 != nil || err2 != nil {
		return hunk{}, 0, fmt.Errorf("malformed hunk header %q", lines[0])
	}
	h, used := hunk{at: at}, 1
	for old > 0 || now > 0 {
		if used >= len(lines) {
			return hunk{}, 0, fmt.Errorf("hunk %q is cut short", lines[0])
		}
		line := lines[used]
		used++
		if line == "" {
			line = " " // editors strip the blank of an empty context line
		}
		switch line[0] {
		case ' ':
			old, now = old-1, now-1
		case '-':
			old--
		case '+':
			now--
		case '\\':
			continue
		default:
			return hunk{}, 0, fmt.Errorf("hunk %q: unexpected line %q", lines[0], line)
		}
		h.lines = append(h.lines, line)
	}
	return h, used, nil
}

func rangeOf(s, sign string) (at, n int, err error) {
	s, ok := strings.CutPrefix(s, sign)
	if !ok {
		return 0, 0, fmt.Errorf("no %s", sign)
	}
	first, count, both := strings.Cut(s, ",")
	if at, err = strconv.Atoi(first); err != nil {
		return 0, 0, err
	}
	if n = 1; both {
		n, err = strconv.Atoi(count)
	}
	return at, n, err
}

// apply changes text by the hunks of one file. A hunk replaces the lines of text that equal its old lines; if there are
// several such places, the one nearest to the line in its header. If there is none, apply fails.
func (f filePatch) apply(text string) (string, error) {
	lines := strings.Split(text, "\n")
	shift := 0
	for _, h := range f.hunks {
		old, now := h.sides()
		at := find(lines, old, h.at-1+shift)
		if at < 0 {
			return "", fmt.Errorf("%s: the hunk at line %d does not apply: the code it changes has changed", f.path, h.at)
		}
		lines = append(lines[:at:at], append(now, lines[at+len(old):]...)...)
		shift = at + len(now) - len(old) - (h.at - 1)
	}
	return strings.Join(lines, "\n"), nil
}

// sides returns the lines before and after the change.
func (h hunk) sides() (old, now []string) {
	for _, l := range h.lines {
		if l[0] != '+' {
			old = append(old, l[1:])
		}
		if l[0] != '-' {
			now = append(now, l[1:])
		}
	}
	return old, now
}

// find returns the index of block in lines, as near to hint as possible; -1: it is not in lines.
func find(lines, block []string, hint int) int {
	best := -1
	for i := 0; i+len(block) <= len(lines); i++ {
		if !matches(lines[i:], block) {
			continue
		}
		if best < 0 || distance(i, hint) < distance(best, hint) {
			best = i
		}
	}
	return best
}

func matches(lines, block []string) bool {
	for i, l := range block {
		if lines[i] != l {
			return false
		}
	}
	return true
}

func distance(a, b int) int { return max(a-b, b-a) }
