package mutants

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// Dir is the directory of the diffs, relative to the module's root.
const Dir = "sim/mutants"

// Mutant is one planted bug.
type Mutant struct {
	ID         string
	Title      string
	Properties []string // at least one of them is expected to break
	Priority   string   // A: every campaign must catch it; B: a long one should; C: nice to have
	Control    bool     // the diff changes no behaviour that matters: no hunt may catch it
	Patch      Patch
	Digest     string // of the diff with its header
}

// Load reads all diffs of the module at root, in the order of their ids. It fails if there is none.
func Load(root string) ([]Mutant, error) {
	paths, err := filepath.Glob(filepath.Join(root, Dir, "*.diff"))
	if err != nil {
		return nil, err
	}
	if len(paths) == 0 {
		return nil, fmt.Errorf("no planted bugs in %s: run this from the project's source tree, or name it with --repo", filepath.Join(root, Dir))
	}
	var all []Mutant
	for _, path := range paths {
		m, err := read(path)
		if err != nil {
			return nil, err
		}
		all = append(all, m)
	}
	slices.SortFunc(all, func(a, b Mutant) int { return strings.Compare(a.ID, b.ID) })
	return all, nil
}

func read(path string) (Mutant, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return Mutant{}, err
	}
	m, err := parse(string(text))
	if err != nil {
		return Mutant{}, fmt.Errorf("%s: %w", path, err)
	}
	if want := strings.TrimSuffix(filepath.Base(path), ".diff"); m.ID != want {
		return Mutant{}, fmt.Errorf("%s: the header says id %q", path, m.ID)
	}
	return m, nil
}

// parse reads the header and the diff below it.
func parse(text string) (Mutant, error) {
	m := Mutant{Digest: digest([]byte(text))}
	for strings.HasPrefix(text, "#") {
		line, rest, _ := strings.Cut(text, "\n")
		text = rest
		key, value, ok := strings.Cut(strings.TrimSpace(strings.TrimPrefix(line, "#")), ":")
		if !ok {
			continue
		}
		value = strings.TrimSpace(value)
		switch key {
		case "id":
			m.ID = value
		case "title":
			m.Title = value
		case "property":
			for _, p := range strings.Split(value, ",") {
				m.Properties = append(m.Properties, strings.TrimSpace(p))
			}
		case "priority":
			m.Priority = value
		case "control":
			m.Control = value == "yes"
		}
	}
	if m.ID == "" || m.Title == "" || len(m.Properties) == 0 && !m.Control {
		return m, fmt.Errorf("the header needs id, title, and property or control")
	}
	if !slices.Contains([]string{"A", "B", "C"}, m.Priority) && !m.Control {
		return m, fmt.Errorf("priority %q is none of A, B, C", m.Priority)
	}
	var err error
	m.Patch, err = parsePatch(text)
	return m, err
}

// digest returns a short hash of a text.
func digest(text []byte) string {
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:8])
}

// Apply returns the new contents of every file that the mutant changes, by path relative to root. It writes nothing. It
// fails if the code that the diff changes has changed.
func (m Mutant) Apply(root string) (map[string]string, error) {
	changed := map[string]string{}
	for _, f := range m.Patch.files {
		text, err := os.ReadFile(filepath.Join(root, f.path))
		if err != nil {
			return nil, fmt.Errorf("mutant %s: %w", m.ID, err)
		}
		now, err := f.apply(string(text))
		if err != nil {
			return nil, fmt.Errorf("mutant %s: %w", m.ID, err)
		}
		changed[f.path] = now
	}
	return changed, nil
}
