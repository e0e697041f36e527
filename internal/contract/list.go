package contract

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
)

// List is CONTRACT.md, read.
type List struct {
	Lines   []Line
	Changes []Change
}

// Line is a statement of the list.
type Line struct {
	ID     string // as "C1.01"
	Text   string
	Status Status
	Why    string // empty where it is tested
	At     int    // the line of the file
}

// Status is whether a statement is tested.
type Status string

// The statuses, as they stand in the list.
const (
	Tested        Status = "tested"
	ByDesign      Status = "by design"      // no test can say more
	Later         Status = "later"          // the part of the product is not there yet
	NotApplicable Status = "not applicable" // to this cell
)

// Change is a change of the product, and the test that it breaks.
type Change struct {
	ID       string // of the statement that the test asserts
	Package  string // of the test, from the module's root
	Test     string // as -run takes it, without anchors: "TestName" or "TestName/sub"
	File     string // from the module's root
	Old, New string
	At       int // the line of the file
}

// String names the change, as messages do.
func (c Change) String() string {
	return fmt.Sprintf("line %d: %s, %s of %s, with %s changed", c.At, c.ID, c.Test, c.Package, c.File)
}

var (
	number = regexp.MustCompile(`^C[0-9]+\.[0-9]{2}$`)
	head   = regexp.MustCompile(`^(C[0-9]+\.[0-9]{2}) (\S+) (Test\S+) (\S+\.go)$`)
)

// Parse reads the list. The error has all that is wrong with its form, joined; what
// could be read is returned with it.
func Parse(text string) (l List, err error) {
	var faults []error
	block, hunk := false, false // inside a block; behind the head of a change
	for i, line := range strings.Split(text, "\n") {
		at := i + 1
		fault := func(format string, args ...any) {
			faults = append(faults, fmt.Errorf("line %d: "+format, append([]any{at}, args...)...))
		}
		switch {
		case strings.HasPrefix(line, "```"):
			block, hunk = !block, false
		case block && line == "":
			hunk = false
		case block && head.MatchString(line):
			m := head.FindStringSubmatch(line)
			l.Changes = append(l.Changes, Change{ID: m[1], Package: m[2], Test: m[3], File: m[4], At: at})
			hunk = true
		case block && hunk && l.Changes[len(l.Changes)-1].take(line):
		case block:
			fault("%q is no part of a change", line)
		case strings.HasPrefix(line, "| C"):
			row, err := parseRow(line)
			if err != nil {
				fault("%v", err)
				continue
			}
			row.At = at
			l.Lines = append(l.Lines, row)
		}
	}
	return l, errors.Join(faults...)
}

// take reads one line of a change: text that goes, before text that comes.
func (c *Change) take(line string) bool {
	text, old := strings.CutPrefix(line, "- ")
	if old && c.New == "" {
		c.Old = join(c.Old, text)
		return true
	}
	text, comes := strings.CutPrefix(line, "+ ")
	if comes && c.Old != "" {
		c.New = join(c.New, text)
		return true
	}
	return false
}

func join(above, line string) string {
	if above == "" {
		return line
	}
	return above + "\n" + line
}

func parseRow(line string) (Line, error) {
	cells := strings.Split(strings.Trim(line, "|"), "|")
	if len(cells) != 3 {
		return Line{}, fmt.Errorf("a row has number, statement and status: %q", line)
	}
	for i := range cells {
		cells[i] = strings.TrimSpace(cells[i])
	}
	status, why, _ := strings.Cut(cells[2], ":")
	row := Line{ID: cells[0], Text: cells[1], Status: Status(status), Why: strings.TrimSpace(why)}
	switch {
	case !number.MatchString(row.ID):
		return Line{}, fmt.Errorf("%q is no number", row.ID)
	case row.Text == "":
		return Line{}, fmt.Errorf("%s says nothing", row.ID)
	case !slices.Contains([]Status{Tested, ByDesign, Later, NotApplicable}, row.Status):
		return Line{}, fmt.Errorf("%s has the status %q", row.ID, status)
	case (row.Status == Tested) != (row.Why == ""):
		return Line{}, fmt.Errorf("%s is %q: a reason belongs to all that is not tested, and to nothing else", row.ID, cells[2])
	}
	return row, nil
}
