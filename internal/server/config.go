package server

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"net"
	"slices"
	"strings"
	"time"

	"github.com/chubbycell/chubby/internal/transport/peer"
	"github.com/chubbycell/chubby/internal/transport/rpc"
	"github.com/chubbycell/chubby/paxos"
	"github.com/chubbycell/chubby/replica/api"
	"github.com/chubbycell/chubby/replica/core"
	"github.com/chubbycell/chubby/replica/disk/store"
	"github.com/chubbycell/chubby/replica/driver"
	"github.com/chubbycell/chubby/wal/vfs"
)

// Config is the configuration of one replica. The tags are the keys of the configuration
// file.
type Config struct {
	Cell    string            `yaml:"cell"`    // name of the cell
	ID      uint32            `yaml:"id"`      // this replica, one of Members
	Members map[uint32]string `yaml:"members"` // host:port at which the replicas reach each other, all of them
	Dir     string            `yaml:"dir"`     // where this replica keeps its files

	ListenPeers   string `yaml:"listen_peers"`   // default: the own entry of Members
	ListenClients string `yaml:"listen_clients"` // host:port for clients
	ListenHTTP    string `yaml:"listen_http"`    // host:port of the status page, /livez, /readyz, /metrics and /events; empty: none

	PeerCert   string `yaml:"peer_cert"`   // certificate of this member, with the DNS name replica-ID.CELL
	PeerKey    string `yaml:"peer_key"`    // its key
	PeerCA     string `yaml:"peer_ca"`     // authority of the certificates of members, and of nothing else
	ServerCert string `yaml:"server_cert"` // certificate that clients see
	ServerKey  string `yaml:"server_key"`  // its key
	ClientCA   string `yaml:"client_ca"`   // authority of the certificates of clients
	TokenFile  string `yaml:"token_file"`  // lines "PRINCIPAL TOKEN"
	AllowPlain bool   `yaml:"allow_plain"` // connections without TLS beyond the loopback interface
	Operators  string `yaml:"operators"`   // principals, between commas, that are told of all sessions and may set limits, order backups and have a master resign; the others are told of their own

	LeaseGrant time.Duration `yaml:"lease_grant,omitempty"` // how long members grant the leader its lease: equal at all members, for ever; default that of the cell, 800ms for a new one
	LeaseMin   time.Duration `yaml:"session_lease"`         // of sessions, where they are few; default 12s
	LeaseMax   time.Duration `yaml:"session_lease_max"`     // where they are many; default 1m
	MaxClients int           `yaml:"max_clients"`           // client processes at one time; default 10000

	BackupDir   string        `yaml:"backup_dir"`             // where the master writes backups: on another disk; empty: nowhere
	BackupEvery time.Duration `yaml:"backup_every,omitempty"` // how often; default 1h
	BackupKeep  int           `yaml:"backup_keep,omitempty"`  // how many of the newest stay; default 24

	LogLevel  string `yaml:"log_level"`  // debug, info, warn or error; default info
	LogFormat string `yaml:"log_format"` // text or json; default text
}

// DefaultLeaseGrant is the lease_grant of a new cell.
var DefaultLeaseGrant = driver.DefaultConfig().Core.Paxos.Lease.Grant

// Bounds of lease_grant: some heartbeats fit into the shortest, and no cell should wait for longer
// after a crash of its master than the longest.
const (
	leastGrant = 400 * time.Millisecond
	mostGrant  = time.Minute
)

// mostClients bounds max_clients: no machine has more connections to give.
const mostClients = 1_000_000

// trustsNames reports whether clients are believed the name that they say: where they can
// prove none, on plain connections of this machine.
func (c *Config) trustsNames() bool {
	return c.ServerCert == "" && c.TokenFile == "" && !c.AllowPlain
}

// operators are the principals that Operators names.
func (c *Config) operators() (all []api.Principal) {
	if c.Operators == "" {
		return nil
	}
	for name := range strings.SplitSeq(c.Operators, ",") {
		all = append(all, api.Principal(strings.TrimSpace(name)))
	}
	return all
}

// isOperator reports whether a principal is told of all sessions and may set limits: where names
// are believed, each is and may.
func (c *Config) isOperator(who api.Principal) bool {
	return c.trustsNames() || slices.Contains(c.operators(), who)
}

// Validate returns all faults at once, joined, or nil. Faults name the key.
func (c *Config) Validate() error {
	var faults []error
	fault := func(bad bool, format string, args ...any) {
		if bad {
			faults = append(faults, fmt.Errorf(format, args...))
		}
	}
	name := api.Cell(c.Cell)
	fault(name.Check() != api.OK || name == api.LocalCell, "cell %q: give a name of lower-case letters, digits and '-', other than %q", c.Cell, api.LocalCell)
	fault(c.Dir == "", "dir is missing: the directory of this replica")
	fault(c.ListenClients == "", "listen_clients is missing: host:port for clients")
	for _, a := range []struct{ key, addr string }{
		{"listen_peers", c.ListenPeers}, {"listen_clients", c.ListenClients}, {"listen_http", c.ListenHTTP},
	} {
		fault(a.addr != "" && !IsHostPort(a.addr), "%s %q: give host:port, and a port from 0 to 65535", a.key, a.addr)
	}
	at := map[string]uint32{}
	for _, id := range slices.Sorted(maps.Keys(c.Members)) {
		addr := c.Members[id]
		fault(id == 0, "members: replica 0: ids begin with 1")
		fault(!IsHostPort(addr), "members: address %q of replica %d: give host:port, and a port from 0 to 65535", addr, id)
		other, isTaken := at[addr]
		fault(isTaken && !isAnyPort(addr), "members: %s is the address of replica %d and of replica %d: each has its own", addr, other, id)
		at[addr] = id
	}
	_, isMember := c.Members[c.ID]
	fault(len(c.Members) == 0, "members is missing: give all replicas, ID: HOST:PORT")
	fault(c.ID == 0, "id is missing: the number of this replica in members")
	fault(len(c.Members) > 0 && c.ID != 0 && !isMember, "id %d: not among members, which has %s: give the id of this replica", c.ID, c.ids())
	faults = append(faults, c.checkListeners()...)
	set := func(names ...string) (n int) {
		for _, s := range names {
			if s != "" {
				n++
			}
		}
		return n
	}
	for _, who := range c.operators() {
		fault(who.Check() != api.OK, "operators: %q cannot be the name of a principal: give names, between commas", who)
	}
	n := set(c.PeerCert, c.PeerKey, c.PeerCA)
	fault(n != 0 && n != 3, "peer_cert, peer_key and peer_ca: give all three, or none")
	fault(set(c.ServerCert, c.ServerKey) == 1, "server_cert and server_key: give both, or none")
	fault(c.ClientCA != "" && c.ServerCert == "", "client_ca: needs server_cert and server_key")
	fault(c.ServerCert != "" && c.ClientCA == "" && c.TokenFile == "", "server_cert: give client_ca, or token_file, or no client can say who it is")
	fault(c.AllowPlain && c.ServerCert == "" && c.TokenFile == "", "allow_plain: give token_file, or no client can say who it is")
	isGrant := c.LeaseGrant == 0 || c.LeaseGrant >= leastGrant && c.LeaseGrant <= mostGrant
	fault(!isGrant, "lease_grant %v: between %v and %v, or nothing for what the cell has", c.LeaseGrant, leastGrant, mostGrant)
	least := cmp.Or(c.LeaseMin, c.WithDefaults().LeaseMin)
	fault(c.LeaseMax > 0 && c.LeaseMax < least, "session_lease_max %v: less than session_lease, which is %v", c.LeaseMax, least)
	fault(c.MaxClients < 0 || c.MaxClients > mostClients, "max_clients %d: between 0 and %d, where 0 is for %d", c.MaxClients, mostClients, rpc.DefaultClients)
	fault(c.BackupDir == "" && (c.BackupEvery != 0 || c.BackupKeep != 0), "backup_every, backup_keep: give backup_dir, too")
	fault(c.BackupKeep < 0 || c.BackupKeep == 1, "backup_keep %d: at least 2", c.BackupKeep)
	_, err := c.level()
	fault(err != nil, "log_level %q: debug, info, warn or error", c.LogLevel)
	fault(c.LogFormat != "" && c.LogFormat != "text" && c.LogFormat != "json", "log_format %q: text or json", c.LogFormat)
	if d := c.driver(); isGrant && isMember { // else it repeats what was said, without the keys
		if err := d.Validate(); err != nil {
			faults = append(faults, errors.New(keyed.Replace(err.Error())))
		}
	}
	return errors.Join(faults...)
}

// keyed has the keys of the configuration for the fields of a driver's.
var keyed = strings.NewReplacer("sessions: ", "", "LeaseMin", "session_lease", "LeaseMax", "session_lease_max", "BackupEvery", "backup_every")

// ids are those of the members, in words.
func (c *Config) ids() string {
	var all []string
	for _, id := range slices.Sorted(maps.Keys(c.Members)) {
		all = append(all, fmt.Sprint(id))
	}
	return strings.Join(all, ", ")
}

// isAnyPort reports whether the system chooses the port.
func isAnyPort(addr string) bool { return strings.HasSuffix(addr, ":0") }

// checkListeners refuses two listeners of this replica at one address.
func (c *Config) checkListeners() (faults []error) {
	at := map[string]string{}
	for _, l := range []struct{ key, addr string }{
		{"listen_peers", cmp.Or(c.ListenPeers, c.Members[c.ID])}, {"listen_clients", c.ListenClients}, {"listen_http", c.ListenHTTP},
	} {
		if l.addr == "" || isAnyPort(l.addr) {
			continue
		}
		if other := at[l.addr]; other != "" {
			faults = append(faults, fmt.Errorf("%s: %s is that of %s, too: give each a port of its own", l.key, l.addr, other))
		}
		at[l.addr] = l.key
	}
	return faults
}

// IsHostPort reports whether an address has a host, which may be empty, and a port.
func IsHostPort(addr string) bool {
	_, port, err := net.SplitHostPort(addr)
	if err != nil {
		return false
	}
	_, err = net.LookupPort("tcp", port)
	return err == nil
}

// checkPlain refuses listeners without TLS that other machines reach. Of a name that is not localhost only
// Start knows.
func (c *Config) checkPlain() error {
	var faults []error
	for _, a := range []struct {
		key, addr, cert string
	}{
		{"listen_peers", cmp.Or(c.ListenPeers, c.Members[c.ID]), c.PeerCert},
		{"listen_clients", c.ListenClients, c.ServerCert},
	} {
		host, _, _ := net.SplitHostPort(a.addr)
		ip := net.ParseIP(host)
		if a.cert == "" && !c.AllowPlain && (host == "" || ip != nil && !ip.IsLoopback()) {
			faults = append(faults, errPlain(a.key, a.addr))
		}
	}
	return errors.Join(faults...)
}

func errPlain(key, addr string) error {
	certs := map[string]string{"listen_peers": "peer_cert, peer_key and peer_ca", "listen_clients": "server_cert and server_key"}
	return fmt.Errorf("%s: %s is not a loopback address, and connections are plain: give %s, or allow_plain if the network is trusted", key, addr, certs[key])
}

// unreachableBy is the host of a member that is on another machine and cannot reach this replica, which listens for the
// others at an address of the loopback interface; empty: there is none. Debian, for instance, has the machine's own name
// stand for 127.0.1.1 in /etc/hosts.
func (c *Config) unreachableBy(at net.Addr) string {
	if tcp, ok := at.(*net.TCPAddr); !ok || !tcp.IP.IsLoopback() {
		return ""
	}
	own, _, _ := net.SplitHostPort(c.Members[c.ID])
	for _, id := range slices.Sorted(maps.Keys(c.Members)) {
		host, _, _ := net.SplitHostPort(c.Members[id])
		if ip := net.ParseIP(host); host != own && host != "localhost" && (ip == nil || !ip.IsLoopback()) {
			return host
		}
	}
	return ""
}

// WithDefaults is c with the values that hold for keys that were not given.
func (c Config) WithDefaults() Config {
	sessions := driver.DefaultConfig().Core.Sessions
	c.ListenPeers = cmp.Or(c.ListenPeers, c.Members[c.ID])
	c.LeaseMin = cmp.Or(c.LeaseMin, sessions.LeaseMin)
	c.LeaseMax = max(cmp.Or(c.LeaseMax, sessions.LeaseMax), c.LeaseMin)
	c.MaxClients = cmp.Or(c.MaxClients, rpc.DefaultClients)
	if c.BackupDir != "" {
		c.BackupEvery, c.BackupKeep = cmp.Or(c.BackupEvery, time.Hour), cmp.Or(c.BackupKeep, 24)
	}
	c.LogLevel, c.LogFormat = cmp.Or(c.LogLevel, "info"), cmp.Or(c.LogFormat, "text")
	return c
}

// driver is the configuration of the replica itself.
func (c *Config) driver() driver.Config {
	d, full := driver.DefaultConfig(), c.WithDefaults()
	d.Core.Paxos.ID = paxos.NodeID(c.ID)
	for _, id := range slices.Sorted(maps.Keys(c.Members)) {
		d.Core.Paxos.Members = append(d.Core.Paxos.Members, paxos.NodeID(id))
	}
	d.Core.Paxos.Lease.Grant = cmp.Or(c.LeaseGrant, d.Core.Paxos.Lease.Grant)
	d.Core.KeepGrant = c.LeaseGrant == 0
	d.Core.Sessions.LeaseMin, d.Core.Sessions.LeaseMax = full.LeaseMin, full.LeaseMax
	if c.BackupDir != "" {
		d.BackupEvery = full.BackupEvery
	}
	return d
}

// backups is where backups go; nil: nowhere.
func (c *Config) backups() *store.Place {
	if c.BackupDir == "" {
		return nil
	}
	return &store.Place{FS: backupFS{vfs.NewOS(c.BackupDir), c.BackupDir}, Dir: ".", Keep: c.WithDefaults().BackupKeep}
}

// CertificateName is the DNS name that the certificate of this member must carry.
func (c *Config) CertificateName() string { return peer.MemberName(c.Cell, paxos.NodeID(c.ID)) }

// addr names a client connection for the replica.
func addr(client uint64) core.Addr { return core.Addr(client) }
