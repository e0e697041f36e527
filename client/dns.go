package client

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

// bothForms says what to give in place of a target in DNS that is wrong.
const bothForms = "give dns:///NAME:PORT (each A or AAAA record of NAME is the address of a replica), or dns+srv:///NAME (each SRV record of _chubby._tcp.NAME is the host and port of a replica)"

// dnsName is a name in DNS whose records have the addresses of the replicas of a cell.
type dnsName struct {
	text string // as the user wrote it
	host string // NAME
	port string // PORT; "": SRV records have it
}

// isDNS reports whether a target is meant as a name in DNS.
func isDNS(text string) bool {
	return strings.HasPrefix(text, "dns:") || strings.HasPrefix(text, "dns+srv:")
}

// parseDNS reads a target for which isDNS is true. It sends nothing.
func parseDNS(text string) (n dnsName, err error) {
	n.text = text
	fault := func(what string) (dnsName, error) { return n, fmt.Errorf("target %q: %s: %s", text, what, bothForms) }
	rest, isHosts := strings.CutPrefix(text, hostsForm)
	name, isSRV := strings.CutPrefix(text, srvForm)
	switch {
	case isHosts:
		if n.host, n.port, err = net.SplitHostPort(rest); err != nil {
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
		n.host = name
	default:
		return fault("three slashes come before NAME, since the resolver of this machine is asked")
	}
	if n.host == "" || strings.ContainsAny(n.host, "/ ") {
		return fault(fmt.Sprintf("%q is not a name", n.host))
	}
	return n, nil
}

// records are what is looked up, in words.
func (n dnsName) records() string {
	if n.port != "" {
		return "A or AAAA records of " + n.host
	}
	return fmt.Sprintf("SRV records of _%s._%s.%s", srvService, srvProto, n.host)
}

// lookUp asks DNS for the addresses, host:port, without duplicates and in the order of their text. It never returns
// none without an error. The error is ErrInvalid if DNS says that there are none.
func (n dnsName) lookUp(ctx context.Context, r *net.Resolver) ([]string, error) {
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
		return nil, fmt.Errorf("%w: %s: DNS has no %s: look at the name, add the records, or give ID=HOST:PORT,ID=HOST:PORT or a cell file", ErrInvalid, n.text, n.records())
	}
	return nil, fmt.Errorf("%s: the lookup of the %s failed: %w: see whether the DNS server of this machine answers", n.text, n.records(), err)
}

func (n dnsName) hosts(ctx context.Context, r *net.Resolver) (all []string, err error) {
	ips, err := r.LookupNetIP(ctx, "ip", n.host)
	for _, ip := range ips {
		all = append(all, net.JoinHostPort(ip.Unmap().String(), n.port))
	}
	return all, err
}

func (n dnsName) services(ctx context.Context, r *net.Resolver) (all []string, err error) {
	_, records, err := r.LookupSRV(ctx, srvService, srvProto, n.host)
	for _, s := range records {
		host := strings.TrimSuffix(s.Target, ".")
		if host != "" && s.Port != 0 { // else the domain says that it has no such service
			all = append(all, net.JoinHostPort(host, strconv.Itoa(int(s.Port))))
		}
	}
	return all, err
}
