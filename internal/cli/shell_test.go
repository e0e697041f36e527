package cli

import (
	"os/exec"
	"testing"

	"github.com/stretchr/testify/require"
)

// A shell reads a quoted word as the word.
func TestAShellReadsWhatWasQuoted(t *testing.T) {
	for word, want := range map[string]string{
		"a/b-c_d.e=f,g:1": "a/b-c_d.e=f,g:1", "": "''", "fail 2": "'fail 2'", "it's": `'it'\''s'`, "$x`y`": "'$x`y`'", "*": "'*'", "~": "'~'", "ä": "'ä'",
	} {
		require.Equal(t, want, Quote(word))
		said, err := exec.Command("sh", "-c", "printf %s "+Quote(word)).Output()
		require.NoError(t, err)
		require.Equal(t, word, string(said))
	}
	require.Equal(t, "./-x.jsonl", QuoteFile("-x.jsonl"))
	require.Equal(t, "'./- x'", QuoteFile("- x"))
	require.Equal(t, "-", QuoteFile("-"))
	require.Equal(t, "a", QuoteFile("a"))
}
