package bench

import (
	"encoding/hex"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/chubbycell/chubby/client"
)

// tick is the unit of processor time in /proc.
const tick = 10 * time.Millisecond

// usage is processor time since processes, and the machine, began.
type usage struct {
	servers, own, all time.Duration
	known             bool // own and all
}

// serversOf are the processes of this machine that listen where the replicas of a cell are; nil
// if one of them is not found: it runs elsewhere, belongs to another user, or is this process.
func serversOf(t client.Target) (pids []int) {
	sockets := socketsOf()
	for _, addr := range t.Replicas {
		pid := sockets[listenerOf(addr)]
		if pid == 0 || pid == os.Getpid() {
			return nil
		}
		if !slices.Contains(pids, pid) {
			pids = append(pids, pid)
		}
	}
	return pids
}

// listenerOf is the inode of the socket that listens at an address of this machine, as text; "":
// there is none.
func listenerOf(addr string) string {
	host, port, _ := net.SplitHostPort(addr)
	n, err := strconv.ParseUint(port, 10, 16)
	if err != nil || !isOwn(host) {
		return ""
	}
	suffix := fmt.Sprintf(":%04X", n)
	for _, table := range []string{"/proc/net/tcp", "/proc/net/tcp6"} {
		text, _ := os.ReadFile(table) // a system without has no processes to find either
		for line := range strings.Lines(string(text)) {
			// sl local_address rem_address st queues timer retransmits uid timeout inode
			f := strings.Fields(line)
			if len(f) > 9 && f[3] == "0A" && strings.HasSuffix(f[1], suffix) && listensFor(f[1], host) {
				return f[9]
			}
		}
	}
	return ""
}

// listensFor reports whether a socket at a local address, as /proc prints it, takes what is
// sent to an IPv4 host. Of others the port decides.
func listensFor(local, host string) bool {
	text, _, _ := strings.Cut(local, ":")
	raw, err := hex.DecodeString(text)
	ip := net.ParseIP(host).To4()
	if err != nil || len(raw) != net.IPv4len || ip == nil {
		return true
	}
	slices.Reverse(raw) // it stands in the order of a little-endian machine
	return net.IP(raw).IsUnspecified() || net.IP(raw).Equal(ip)
}

// isOwn reports whether a host is this machine.
func isOwn(host string) bool {
	if host == "localhost" {
		return true
	}
	ip := net.ParseIP(host)
	if ip == nil || ip.IsLoopback() {
		return ip != nil
	}
	addrs, _ := net.InterfaceAddrs()
	return slices.ContainsFunc(addrs, func(a net.Addr) bool {
		n, ok := a.(*net.IPNet)
		return ok && n.IP.Equal(ip)
	})
}

// socketsOf is the process of each socket that may be looked at, by inode.
func socketsOf() map[string]int {
	all := map[string]int{}
	links, _ := filepath.Glob("/proc/[0-9]*/fd/*")
	for _, link := range links {
		name, err := os.Readlink(link)
		inode, isSocket := strings.CutPrefix(name, "socket:[")
		if err != nil || !isSocket {
			continue
		}
		pid, _ := strconv.Atoi(strings.Split(link, "/")[2])
		all[strings.TrimSuffix(inode, "]")] = pid
	}
	return all
}

// measure reads the processor time that was used so far.
func measure(servers []int) (u usage) {
	for _, pid := range servers {
		u.servers += timeOf(pid)
	}
	u.own, u.all = timeOf(os.Getpid()), timeOfAll()
	u.known = u.all > 0
	return u
}

// timeOf is the processor time of a process; 0 if it is unknown.
func timeOf(pid int) time.Duration {
	text, _ := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	_, rest, _ := strings.Cut(string(text), ") ")
	if f := strings.Fields(rest); len(f) > 12 {
		return ticks(f[11]) + ticks(f[12])
	}
	return 0
}

// timeOfAll is the processor time of all that runs on this machine; 0 if it is unknown.
func timeOfAll() (sum time.Duration) {
	text, _ := os.ReadFile("/proc/stat")
	line, _, _ := strings.Cut(string(text), "\n")
	for i, f := range strings.Fields(line) {
		if i > 0 && i < 9 && i != 4 && i != 5 { // cpu, and the times that it was idle
			sum += ticks(f)
		}
	}
	return sum
}

func ticks(text string) time.Duration {
	n, _ := strconv.ParseInt(text, 10, 64)
	return time.Duration(n) * tick
}
