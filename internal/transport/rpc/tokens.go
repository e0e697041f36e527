package rpc

import (
	"bufio"
	"bytes"
	"crypto/sha256"
	"errors"
	"fmt"
	"strings"

	"github.com/chubbycell/chubby/replica/api"
)

// minToken is the shortest token, in bytes: 24 characters of base 64 are 144 bits.
const minToken = 24

// Tokens are the principals of bearer tokens. They hold hashes, not the tokens.
type Tokens struct {
	byHash map[[sha256.Size]byte]api.Principal
}

// ParseTokens reads one "PRINCIPAL TOKEN" a line. Empty lines and lines that begin with '#'
// are skipped. Tokens have at least 24 characters, and belong to one principal each.
func ParseTokens(text []byte) (*Tokens, error) {
	if bytes.HasPrefix(text, []byte("\xef\xbb\xbf")) { // it would be a part of the first name
		return nil, errors.New("begins with a byte order mark (the bytes EF BB BF): write UTF-8 without one")
	}
	t := &Tokens{byHash: map[[sha256.Size]byte]api.Principal{}}
	lines := bufio.NewScanner(bytes.NewReader(text))
	for n := 1; lines.Scan(); n++ {
		line := strings.TrimSpace(lines.Text())
		if line == "" || line[0] == '#' {
			continue
		}
		fields := strings.Fields(line)
		if len(fields) != 2 {
			return nil, fmt.Errorf("line %d has %d fields; a line is: PRINCIPAL TOKEN", n, len(fields))
		}
		who := api.Principal(fields[0])
		switch hash := sha256.Sum256([]byte(fields[1])); {
		case who.Check() != api.OK:
			return nil, fmt.Errorf("line %d: %q cannot be the name of a principal", n, fields[0])
		case !CanSend(fields[1]):
			return nil, fmt.Errorf("line %d: the token of %s has other characters than visible ones of ASCII", n, who)
		case len(fields[1]) < minToken:
			return nil, fmt.Errorf("line %d: the token of %s has %d characters; at least %d", n, who, len(fields[1]), minToken)
		case t.byHash[hash] != "" && t.byHash[hash] != who:
			return nil, fmt.Errorf("line %d: %s and %s have the same token", n, who, t.byHash[hash])
		default:
			t.byHash[hash] = who
		}
	}
	if err := lines.Err(); err != nil {
		return nil, err
	}
	if len(t.byHash) == 0 {
		return nil, fmt.Errorf("no tokens; a line is: PRINCIPAL TOKEN")
	}
	return t, nil
}

// CanSend reports whether a client can send the token: it consists of visible ASCII characters.
func CanSend(token string) bool { return isPlain(token) }

// find returns the principal of a token.
func (t *Tokens) find(token string) (who api.Principal, ok bool) {
	who, ok = t.byHash[sha256.Sum256([]byte(token))]
	return who, ok
}
