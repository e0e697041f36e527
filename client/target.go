package client

import (
	"bytes"
	"cmp"
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/chubbycell/chubby/internal/transport/dnsname"
	"github.com/chubbycell/chubby/internal/transport/rpc"
	"github.com/chubbycell/chubby/replica/api"
)

// Target says where a cell is, and how a client proves its identity. A cell file is a Target in
// JSON; file names in it are relative to its directory.
type Target struct {
	Cell     string            `json:"cell,omitempty"`     // its name; empty: unknown
	Replicas map[uint32]string `json:"replicas,omitempty"` // host:port of each replica, by id
	// Discover names the cell in DNS, in place of Replicas: dns:///NAME:PORT or dns+srv:///NAME. See ParseTarget. In a
	// Target that was resolved, as that of Client.Target, Replicas has what was found, and "" for a replica
	// that did not answer.
	Discover string `json:"discover,omitempty"`

	CA         string `json:"ca,omitempty"`          // file: authority of the replicas' certificates; empty: plain connections
	Cert       string `json:"cert,omitempty"`        // file: certificate of the client, whose common name is its principal
	Key        string `json:"key,omitempty"`         // file: key of Cert
	TokenFile  string `json:"token_file,omitempty"`  // file: a token, which also names a principal
	Principal  string `json:"principal,omitempty"`   // the name of a client that proves no identity
	AllowPlain bool   `json:"allow_plain,omitempty"` // plain connections beyond the loopback interface
}

// ParseTarget reads a list of replicas, "1=host:port,2=host:port", a name in DNS, or else the cell file
// with that name. It asks no DNS server; Resolve and Dial do.
//
// A name in DNS has one of two forms. With dns:///NAME:PORT each A or AAAA record of NAME is the address of
// a replica, and all have the same port: the form that gRPC has. With dns+srv:///NAME each SRV
// record of _chubby._tcp.NAME is the host and port of a replica: what etcd has as --discovery-srv NAME. In
// both, the records have no ids of replicas: each address is asked which replica it is. With TLS, the
// certificate of each replica has to have NAME, whatever host a record names: DNS alone cannot lead a
// client elsewhere.
func ParseTarget(text string) (Target, error) {
	if dnsname.Is(text) {
		_, err := dnsname.Parse(text)
		return Target{Discover: text}, err
	}
	if isFile(text) {
		t, err := readTarget(text)
		if errors.Is(err, fs.ErrNotExist) { // the text may not be meant as a file name at all
			err = fmt.Errorf("target %q is neither a cell file nor a list of replicas: give ID=HOST:PORT,ID=HOST:PORT, the name of a cell file, dns:///NAME:PORT or dns+srv:///NAME: %w", text, err)
		}
		return t, err
	}
	t := Target{Replicas: map[uint32]string{}}
	for entry := range strings.SplitSeq(text, ",") {
		key, addr, _ := strings.Cut(strings.TrimSpace(entry), "=")
		id, err := strconv.ParseUint(key, 10, 32)
		if err != nil || id == 0 {
			return t, fmt.Errorf("target %q: %q is not the id of a replica: give ID=HOST:PORT,ID=HOST:PORT, or the name of a cell file", text, key)
		}
		if t.Replicas[uint32(id)] != "" {
			return t, fmt.Errorf("target %q: replica %d is named twice", text, id)
		}
		t.Replicas[uint32(id)] = addr
	}
	return t, t.check()
}

// isFile reports whether a target is meant as the name of a cell file.
func isFile(text string) bool {
	id, _, isList := strings.Cut(text, "=")
	return !dnsname.Is(text) && (!isList || strings.Contains(filepath.ToSlash(id), "/"))
}

func readTarget(name string) (t Target, err error) {
	text, err := os.ReadFile(name)
	if err != nil {
		return t, fmt.Errorf("cell file: %w", err)
	}
	if bytes.HasPrefix(text, []byte("\xef\xbb\xbf")) {
		return t, fmt.Errorf("cell file %s begins with a byte order mark (the bytes EF BB BF): write UTF-8 without one", name)
	}
	d := json.NewDecoder(bytes.NewReader(text))
	d.DisallowUnknownFields()
	if err := d.Decode(&t); err != nil {
		return t, fmt.Errorf("cell file %s: %s: it is an object such as {\"cell\": \"prod\", \"replicas\": {\"1\": \"HOST:PORT\"}}", name, jsonFault(err))
	}
	for _, file := range []*string{&t.CA, &t.Cert, &t.Key, &t.TokenFile} {
		if *file != "" && !filepath.IsAbs(*file) {
			*file = filepath.Join(filepath.Dir(name), *file)
		}
	}
	if err := t.check(); err != nil {
		return t, fmt.Errorf("cell file %s: %w", name, err)
	}
	return t, nil
}

// jsonFault is an error of the JSON decoder without its words for Go programmers.
func jsonFault(err error) string {
	if kind := new(json.UnmarshalTypeError); errors.As(err, &kind) {
		return fmt.Sprintf("%s cannot be of the kind %s", cmp.Or(kind.Field, "the whole"), kind.Value)
	}
	return strings.TrimPrefix(err.Error(), "json: ")
}

func (t Target) check() error {
	var faults []error
	switch {
	case t.Discover != "" && len(t.Replicas) > 0:
		faults = append(faults, errors.New("replicas and discover: give only one of them"))
	case t.Discover != "":
		if _, err := dnsname.Parse(t.Discover); err != nil {
			faults = append(faults, fmt.Errorf("discover: %w", err))
		}
	case len(t.Replicas) == 0:
		faults = append(faults, errors.New("no replicas"))
	}
	if t.Cell != "" && api.Cell(t.Cell).Check() != api.OK {
		faults = append(faults, fmt.Errorf("cell %q: give a name of lower-case letters, digits and '-'", t.Cell))
	}
	for _, id := range t.ids() {
		if _, port, err := net.SplitHostPort(t.Replicas[id]); err != nil {
			faults = append(faults, fmt.Errorf("address %q of replica %d: give host:port", t.Replicas[id], id))
		} else if n, err := net.LookupPort("tcp", port); err != nil || n == 0 {
			faults = append(faults, fmt.Errorf("address %q of replica %d: port %q is not a port: give a number from 1 to 65535", t.Replicas[id], id, port))
		}
	}
	if (t.Cert == "") != (t.Key == "") {
		faults = append(faults, errors.New("cert and key: give both, or none"))
	}
	if t.Cert != "" && t.CA == "" {
		faults = append(faults, errors.New("cert: needs ca, the authority that signed the server_cert of the replicas"))
	}
	return errors.Join(faults...)
}

// ServerName is the name that the certificate of each replica has to have, if DNS has the addresses. Otherwise it is
// "", and each certificate has to have the host of its address.
func (t Target) ServerName() string {
	if t.Discover == "" {
		return ""
	}
	name, _ := dnsname.Parse(t.Discover)
	return strings.TrimSuffix(name.Host, ".")
}

func (t Target) ids() []uint32 { return slices.Sorted(maps.Keys(t.Replicas)) }

// TLS reads the certificates that the target names, and returns nil if connections are plain.
func (t Target) TLS() (*tls.Config, error) {
	if t.CA == "" {
		return nil, nil
	}
	text, err := os.ReadFile(t.CA)
	if err != nil {
		return nil, fmt.Errorf("ca: %w", err)
	}
	c := &tls.Config{RootCAs: x509.NewCertPool()}
	if !c.RootCAs.AppendCertsFromPEM(text) {
		return nil, fmt.Errorf("ca: %s holds no certificate in PEM", t.CA)
	}
	if t.Cert != "" {
		cert, err := tls.LoadX509KeyPair(t.Cert, t.Key)
		if err != nil {
			return nil, fmt.Errorf("cert: %w", err)
		}
		c.Certificates = []tls.Certificate{cert}
	}
	return c, nil
}

// errToken is the fault of a token that no client can send.
var errToken = errors.New("a token consists of visible ASCII characters")

// Token reads the token that the target names, and returns "" if it names none.
func (t Target) Token() (string, error) {
	if t.TokenFile == "" {
		return "", nil
	}
	text, err := os.ReadFile(t.TokenFile)
	token := strings.TrimSpace(string(text))
	switch {
	case err != nil:
	case token == "" || strings.ContainsAny(token, " \t\r\n"):
		err = fmt.Errorf("%s does not hold one token: write the token alone, without the principal that stands before it in the token_file of the replicas", t.TokenFile)
	case !rpc.CanSend(token):
		err = fmt.Errorf("%s: %w", t.TokenFile, errToken)
	}
	if err != nil {
		return "", fmt.Errorf("token_file: %w", err)
	}
	return token, nil
}
