// Package dnsname is concurrent: it reads the two forms in which a client names a cell in DNS, and looks up the
// addresses of the cell's replicas.
package dnsname

import (
	"context"
	"errors"
	"fmt"
	"net"
	"slices"
	"strconv"
	"strings"
)

// The two forms of a target in DNS. The first is that of gRPC. The second is that of etcd's --discovery-srv, with the
// service in place of etcd's, as a URL: the user gives the domain, and the service is always the same.
const (
	hostsForm = "dns:///"
	srvForm   = "dns+srv:///"

	srvService, srvProto = "chubby", "tcp"
)

// ErrNone is the error of LookUp if DNS says that there are no such records.
var ErrNone = errors.New("DNS has no")

// bothForms says what to give in place of a target in DNS that is wrong.
const bothForms = "give dns:///NAME:PORT (each A or AAAA record of NAME is the address of a replica), or dns+srv:///NAME (each SRV record of _chubby._tcp.NAME is the host and port of a replica)"

// Name is a name in DNS whose records have the addresses of the replicas of a cell. Make one with Parse.
type Name struct {
	Text string // as the user wrote it
	Host string // NAME
	port string // PORT; "": SRV records have it
}

// Is reports whether a target is meant as a name in DNS.
func Is(text string) bool {
	return strings.HasPrefix(text, "dns:") || strings.HasPrefix(text, "dns+srv:")
}

// Parse reads a target for which Is is true. It sends nothing.
func Parse(text string) (n Name, err error) {
	n.Text = text
	fault := func(what string) (Name, error) { return n, fmt.Errorf("target %q: %s: %s", text, what, bothForms) }
	rest, isHosts := strings.CutPrefix(text, hostsForm)
	name, isSRV := strings.CutPrefix(text, srvForm)
	switch {
	case isHosts:
		if n.Host, n.port, err = net.SplitHostPort(rest); err != nil {
			return fault("it has no NAME:PORT")
		}
		if p, err := strconv.ParseUint(n.port, 10, 16); err != nil || p == 0 {
			return fault(fmt.Sprintf("%q is not a port from 1 to 65535", n.port))
		}
	case isSRV && strings.HasPrefix(name, "_"):
		return fault("NAME is the domain, without a service before it")
	case isSRV && strings.Contains(name, ":"):
		return fault("SRV records have the ports, and NAME has none")
	case isSRV:
		n.Host = name
	default:
		return fault("three slashes come before NAME, since the resolver of this machine is asked")
	}
	if n.Host == "" || strings.ContainsAny(n.Host, "/ ") {
		return fault(fmt.Sprintf("%q is not a name", n.Host))
	}
	return n, nil
}

// records are what is looked up, in words.
func (n Name) records() string {
	if n.port != "" {
		return "A or AAAA records of " + n.Host
	}
	return fmt.Sprintf("SRV records of _%s._%s.%s", srvService, srvProto, n.Host)
}

// LookUp asks DNS for the addresses, host:port, without duplicates and in the order of their text. It never returns
// none without an error. The error is ErrNone if DNS says that there are none. It blocks until DNS has answered or ctx ends.
func (n Name) LookUp(ctx context.Context, r *net.Resolver) ([]string, error) {
	if r == nil {
		r = net.DefaultResolver
	}
	ask := n.hosts
	if n.port == "" {
		ask = n.services
	}
	all, err := ask(ctx, r)
	var fault *net.DNSError
	switch {
	case len(all) > 0: // of SRV records some may be good
		slices.Sort(all)
		return slices.Compact(all), nil
	case err == nil || errors.As(err, &fault) && fault.IsNotFound:
		return nil, fmt.Errorf("%s: %w %s: look at the name, add the records, or give ID=HOST:PORT,ID=HOST:PORT or a cell file", n.Text, ErrNone, n.records())
	}
	return nil, fmt.Errorf("%s: the lookup of the %s failed: %w: see whether the DNS server of this machine answers", n.Text, n.records(), err)
}

func (n Name) hosts(ctx context.Context, r *net.Resolver) (all []string, err error) {
	ips, err := r.LookupNetIP(ctx, "ip", n.Host)
	for _, ip := range ips {
		all = append(all, net.JoinHostPort(ip.Unmap().String(), n.port))
	}
	return all, err
}

func (n Name) services(ctx context.Context, r *net.Resolver) (all []string, err error) {
	_, records, err := r.LookupSRV(ctx, srvService, srvProto, n.Host)
	for _, s := range records {
		host := strings.TrimSuffix(s.Target, ".")
		if host != "" && s.Port != 0 { // else the domain says that it has no such service
			all = append(all, net.JoinHostPort(host, strconv.Itoa(int(s.Port))))
		}
	}
	return all, err
}
