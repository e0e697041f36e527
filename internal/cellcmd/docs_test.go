//go:build unix

package cellcmd

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/chubbycell/chubby/client"
	"github.com/chubbycell/chubby/internal/cli"
	"github.com/chubbycell/chubby/internal/server"
)

func guide(t *testing.T) string {
	text, err := os.ReadFile("../../docs/running.md")
	require.NoError(t, err)
	return string(text)
}

// block is the indented lines behind some words of a document.
func block(t *testing.T, text, after string) string {
	_, rest, ok := strings.Cut(text, after)
	require.True(t, ok, after)
	m := regexp.MustCompile(`(?m)(^    .*\n)+`).FindString(rest)
	require.NotEmpty(t, m, after)
	return regexp.MustCompile(`(?m)^    `).ReplaceAllString(m, "")
}

func TestTheGuideAndTheHelpAgreeOnExitCodes(t *testing.T) {
	codes := regexp.MustCompile(`(?m)^ +(\d+)  (\S[^:\n]*)`).FindAllStringSubmatch(cli.CellExitHelp, -1)
	require.Len(t, codes, 10)
	for _, c := range codes {
		require.Contains(t, guide(t), "| "+c[1]+" | "+strings.TrimSpace(c[2]))
	}
}

// The page of errors says with which code the commands end.
func TestThePageOfErrorsAndTheExitCodesAgree(t *testing.T) {
	text, err := os.ReadFile("../../docs/errors.md")
	require.NoError(t, err)
	found := 0
	for _, s := range strings.Split(string(text), "\n### ")[1:] {
		name, body, _ := strings.Cut(s, "\n")
		of := regexp.MustCompile(`Exit\s+code\s+(\d+)`).FindStringSubmatch(body)
		known := sentinels[name]
		if name == "ErrFenced" || name == "ErrJeopardy" { // no command meets the one; the other comes with the context's
			continue
		}
		require.NotNil(t, known, name)
		require.NotNil(t, of, "%s: no exit code", name)
		require.Equal(t, of[1], strconv.Itoa(cli.CodeOf(failure(t.Context(), &client.Error{Op: "x", Causes: []error{known}}))), name)
		found++
	}
	require.Equal(t, len(sentinels), found)
}

var sentinels = map[string]error{
	"ErrOutcomeUnknown": client.ErrOutcomeUnknown, "ErrSessionExpired": client.ErrSessionExpired, "ErrClosed": client.ErrClosed,
	"ErrInvalid": client.ErrInvalid, "ErrTooLarge": client.ErrTooLarge, "ErrBusy": client.ErrBusy, "ErrPermission": client.ErrPermission,
	"ErrNoLeases": client.ErrNoLeases, "ErrNotFound": client.ErrNotFound, "ErrConflict": client.ErrConflict, "ErrExists": client.ErrExists,
	"ErrGone": client.ErrGone, "ErrNotDirectory": client.ErrNotDirectory, "ErrIsDirectory": client.ErrIsDirectory,
	"ErrNotEmpty": client.ErrNotEmpty, "ErrQuota": client.ErrQuota, "ErrCrowded": client.ErrCrowded, "ErrTooManySessions": client.ErrTooManySessions, "ErrBadHandle": client.ErrBadHandle,
	"ErrPoisoned": client.ErrPoisoned, "ErrLockHeld": client.ErrLockHeld, "ErrLockDelayed": client.ErrLockDelayed,
	"ErrNotHeld": client.ErrNotHeld, "ErrWithdrawn": client.ErrWithdrawn, "ErrStaleSequencer": client.ErrStaleSequencer,
}

func TestTheGuideHasEachCommand(t *testing.T) {
	for _, c := range Commands() {
		require.Regexp(t, "(?m)^\\|[^|]*`"+c.Name()+"[` ]", guide(t), "%s is missing in the table of commands", c.Name())
	}
}

// What the guide lets a newcomer type works, as it stands there.
func TestTheFirstMinuteOfTheGuide(t *testing.T) {
	_, file := startDev(t)
	dir := t.TempDir()
	path, err := exec.LookPath("chubby")
	require.NoError(t, err)
	require.NoError(t, os.Symlink(path, filepath.Join(dir, "chubby")))
	cmd := exec.Command("sh", "-e", "-c", block(t, guide(t), "In another terminal:")+"kill $!; wait")
	cmd.Dir, cmd.Env = dir, append(os.Environ(), "CHUBBY_CELL="+file)
	out, err := cmd.CombinedOutput()
	require.NoError(t, err, "%s", out)
	require.Contains(t, string(out), "first words")
	require.Regexp(t, `I hold /ls/dev/job, generation \d+`, string(out))
	require.Regexp(t, `master +[1-3]`, string(out))
}

func TestTheConfigurationOfTheGuideIsOne(t *testing.T) {
	file := filepath.Join(t.TempDir(), "chubby.yaml")
	text := guide(t)
	require.NoError(t, os.WriteFile(file, []byte(block(t, text, "has a configuration file in YAML:")), 0o600))
	c, err := server.Load(file)
	require.NoError(t, err)
	require.NoError(t, c.Validate())
	for _, k := range c.Keys() {
		require.Regexp(t, "(`|    )"+k.Name+"(`|:)", text, "the key is missing")
	}
	require.NoError(t, os.WriteFile(file, []byte(block(t, text, "for `--cell`, `CHUBBY_CELL` and `client.Dial`:")), 0o600))
	code, _, said := run(t, "ls", "--cell", file)
	require.Equal(t, cli.ExitUsage, code)
	require.Contains(t, said, "ca: open")
}
