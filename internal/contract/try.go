package contract

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"time"

	"github.com/chubbycell/chubby/internal/overlay"
)

// bound is how long a broken test may take to fail.
const bound = time.Minute

// Try makes the change in the go command's overlay and runs the test: nil if it
// fails, as it should. All that is written goes below dir.
func (c Change) Try(ctx context.Context, root, dir string) error {
	text, err := c.Apply(root)
	if err != nil {
		return err
	}
	list, err := overlay.Write(root, dir, map[string]string{c.File: text})
	if err != nil {
		return fmt.Errorf("%v: %w", c, err)
	}
	binary := filepath.Join(dir, "test")
	build := exec.CommandContext(ctx, "go", "test", "-c", "-overlay", list, "-o", binary, "./"+c.Package)
	build.Dir = root
	if said, err := build.CombinedOutput(); err != nil {
		return fmt.Errorf("%v: it does not compile: %w\n%s", c, err, said)
	}
	ctx, cancel := context.WithTimeout(ctx, bound)
	defer cancel()
	run := exec.CommandContext(ctx, binary, "-test.run", pattern(c.Test), "-test.count", "1")
	run.Dir = filepath.Join(root, filepath.FromSlash(c.Package))
	said, err := run.CombinedOutput()
	switch {
	case ctx.Err() != nil:
		return fmt.Errorf("%v: the test does not end", c)
	case err == nil:
		return fmt.Errorf("%v: the test still passes\n%s", c, said)
	case !strings.Contains(string(said), "--- FAIL: "+c.Test+" "):
		return fmt.Errorf("%v: something fails, but not that test\n%s", c, said)
	}
	return os.Remove(binary)
}

// pattern is what -run wants in order to run that test and no other.
func pattern(test string) string {
	return "^" + strings.ReplaceAll(regexp.QuoteMeta(test), "/", "$/^") + "$"
}

// Sample is every n-th change, beginning with one that the turn decides, so that
// about size are tried and as many turns in a row as there are samples try all.
func Sample(all []Change, size int, turn int) (sample []Change) {
	if size <= 0 || len(all) == 0 {
		return nil
	}
	n := (len(all) + size - 1) / size
	for i := turn % n; i < len(all); i += n {
		sample = append(sample, all[i])
	}
	return sample
}
