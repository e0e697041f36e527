package cli

import (
	"os"
	"runtime/debug"
	"strings"
)

// Quote is a word as a POSIX shell reads it: as it is, or in single quotes.
func Quote(word string) string {
	const plain = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_@%+=:,./-"
	if word != "" && strings.Trim(word, plain) == "" {
		return word
	}
	return "'" + strings.ReplaceAll(word, "'", `'\''`) + "'"
}

// QuoteFile is the name of a file as an argument in a shell: quoted, and no flag, whatever it begins
// with. "-" stays what it is.
func QuoteFile(file string) string {
	if strings.HasPrefix(file, "-") && file != "-" {
		file = "./" + file
	}
	return Quote(file)
}

// Started is how this program is started again from the present directory, as words for a shell. If
// go run started it, that is "go run" and source, such as "./cmd/chubby", where there is such a
// directory, else the path of the package; otherwise it is the program as it was called.
func Started(source string) string {
	path, err := os.Executable()
	if info, ok := debug.ReadBuildInfo(); ok && err == nil && strings.Contains(path, "go-build") { // where go run puts programs
		if at, err := os.Stat(source); source == "" || err != nil || !at.IsDir() {
			source = info.Path
		}
		return "go run " + source
	}
	return Quote(os.Args[0])
}
