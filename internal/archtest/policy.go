// Package archtest is test support: it has the import rules of the module as data,
// and its test checks the module against them. This is policy: a change here is a
// decision, and docs/decisions says why it was taken.
package archtest

import "slices"

// Module is the path every package of the project begins with.
const Module = "github.com/chubbycell/chubby"

// kind is what a package may use of the standard library.
type kind int

const (
	pure        kind = iota // no goroutine, clock, disk, network, mutex, global randomness
	synchronous             // calls an injected file system; no goroutine, no clock
	concurrent              // the only place for go, channels, mutexes, sockets, timers
	support                 // drives pure code single-threaded, or tests it
)

// rule is the rule for one package: its kind and what it may import of the module. What its
// imports may import, it may import too.
type rule struct {
	kind kind
	may  []string
}

// packages is the import lattice. A package that is not here may not exist.
var packages = map[string]rule{
	"internal/invariant": {pure, nil},
	"internal/draw":      {pure, nil},
	"internal/instant":   {pure, nil},
	"internal/versions":  {pure, nil},
	"internal/archtest":  {support, nil},
	"internal/overlay":   {support, nil},
	"internal/upgrade":   {support, []string{"internal/overlay"}},
	"internal/typecheck": {support, nil},
	"internal/cli":       {concurrent, nil},
	"internal/boottime":  {concurrent, nil},
	"internal/contract":  {support, []string{"internal/overlay", "internal/typecheck"}},
	"wal/vfs":            {synchronous, nil},
	"wal/vfs/vfstest":    {support, []string{"wal/vfs"}},
	"wal/vfs/frail":      {synchronous, []string{"wal/vfs"}},
	"replica/api":        {pure, []string{"internal/versions"}},

	"linearizability/history":    {pure, nil},
	"linearizability/strictjson": {support, nil},
	"linearizability/model":      {support, []string{"linearizability/history", "linearizability/strictjson"}},
	"linearizability/events":     {support, []string{"linearizability/model"}},
	"linearizability/search":     {pure, nil},
	"linearizability/edn":        {pure, nil},
	"linearizability/jepsen":     {support, []string{"linearizability/edn", "linearizability/model"}},
	"linearizability":            {support, []string{"linearizability/jepsen", "linearizability/events", "linearizability/search"}},

	"internal/browsertest": {support, nil},
	"internal/cli/clitest": {support, nil},
	"internal/dyingdisk":   {concurrent, []string{"wal/vfs"}},
	"internal/logtest":     {support, nil},
	"internal/schema":      {support, nil},

	"paxos":    {pure, []string{"internal/versions", "internal/invariant", "internal/draw", "internal/instant"}},
	"db":       {pure, []string{"internal/invariant"}},
	"wal":      {synchronous, []string{"wal/vfs", "internal/invariant"}},
	"snapshot": {synchronous, []string{"wal/vfs", "internal/invariant"}},

	"replica/state/tree":       {pure, []string{"db", "replica/api"}},
	"replica/state/acl":        {pure, []string{"db", "replica/api"}},
	"replica/state/rows":       {pure, []string{"db", "replica/api"}},
	"replica/state/lock":       {pure, []string{"db", "replica/api"}},
	"replica/master/handle":    {pure, []string{"replica/api"}},
	"replica/master/lockwait":  {pure, []string{"replica/api"}},
	"replica/master/event":     {pure, []string{"replica/api"}},
	"replica/master/cache":     {pure, []string{"replica/api"}},
	"replica/master/fairqueue": {pure, []string{"replica/api"}},
	"replica/state/command":    {pure, []string{"replica/state/rows", "replica/state/tree", "replica/state/acl", "replica/state/lock"}},
	"replica/master/calls":     {pure, []string{"replica/state/rows", "replica/master/handle", "internal/invariant"}},
	"replica/master/nodeops":   {pure, []string{"replica/state/command", "replica/master/calls", "replica/master/lockwait", "replica/master/event", "replica/master/cache", "internal/instant"}},
	"replica/master/session":   {pure, []string{"replica/api", "internal/invariant"}},
	"replica/master":           {pure, []string{"replica/state/command", "replica/master/session", "replica/master/nodeops", "replica/master/fairqueue"}},
	"replica/core":             {pure, []string{"paxos", "db", "replica/master"}},
	"replica/driver":           {pure, []string{"replica/core"}},
	"replica/disk/store":       {synchronous, []string{"wal", "snapshot", "db", "paxos"}},

	"replica/disk/diskjobs": {synchronous, []string{"replica/driver", "replica/disk/store"}},
	"replica/disk/backup":   {synchronous, []string{"replica/state/command", "replica/disk/store"}},

	"client/session":    {pure, []string{"replica/api"}},
	"client/cache":      {pure, []string{"replica/api"}},
	"client":            {concurrent, []string{"client/session", "client/cache", "internal/boottime", "internal/transport/dnsname", "internal/transport/rpc"}},
	"client/recipe":     {concurrent, []string{"client"}},
	"client/chubbytest": {concurrent, []string{"replica", "client"}},
	"replica":           {concurrent, []string{"replica/disk/diskjobs", "internal/boottime"}},

	"internal/transport/queue":        {concurrent, nil},
	"internal/transport/refused":      {concurrent, nil},
	"internal/transport/reach":        {concurrent, nil},
	"internal/transport/loopback":     {support, nil},
	"internal/transport/certtest":     {support, nil},
	"internal/transport/dnsname":      {concurrent, nil},
	"internal/transport/dnstest":      {concurrent, nil},
	"internal/transport/peer":         {concurrent, []string{"paxos", "internal/versions", "internal/transport/queue", "internal/transport/reach", "internal/transport/refused"}},
	"internal/transport/rpc/chubbyv1": {concurrent, nil},
	"internal/server":                 {concurrent, []string{"replica", "internal/transport/peer", "internal/transport/rpc"}},
	"internal/bench":                  {concurrent, []string{"client"}},
	"internal/torture":                {concurrent, []string{"client", "linearizability", "replica/core", "internal/draw"}},
	"internal/watchdog":               {concurrent, []string{"internal/cli"}},
	"internal/cellcmd":                {concurrent, []string{"internal/cli", "internal/server", "internal/bench", "internal/torture", "internal/watchdog", "wal/vfs/frail"}},
	"internal/transport/rpc":          {concurrent, []string{"replica/api", "internal/versions", "internal/transport/queue", "internal/transport/reach", "internal/transport/refused", "internal/transport/rpc/chubbyv1"}},

	"sim":                      {support, []string{"internal/draw", "internal/invariant", "wal/vfs", "wal", "paxos", "client", "linearizability"}},
	"sim/ondisk":               {support, []string{"wal/vfs", "paxos"}},
	"sim/conformance/replicas": {support, []string{"sim", "sim/model", "replica/driver"}},
	"sim/conformance/clients":  {support, []string{"sim", "client"}},
	"sim/event":                {support, []string{"sim", "client", "replica/state/command", "linearizability"}},
	"sim/scenario":             {support, []string{"sim/event"}},
	"sim/plan":                 {support, []string{"sim/scenario", "sim/conformance/replicas", "replica/disk/store"}},
	"sim/resource":             {support, []string{"sim/plan", "linearizability"}},
	"sim/describe":             {support, []string{"sim", "sim/resource", "replica/driver"}},
	"sim/model":                {support, []string{"sim", "client", "replica/driver", "replica/state/command", "linearizability"}},
	"sim/damage":               {support, []string{"sim", "sim/ondisk"}},

	"sim/check/leases":         {support, []string{"sim", "replica/core"}},
	"sim/check/agreement":      {support, []string{"sim", "sim/model", "sim/damage", "linearizability", "client", "replica/disk/store", "replica/driver"}},
	"sim/check/locks":          {support, []string{"sim", "sim/model", "linearizability"}},
	"sim/check/events":         {support, []string{"sim", "sim/model", "client", "replica/state/command"}},
	"sim/check/caches":         {support, []string{"sim/model"}},
	"sim/check/histories":      {support, []string{"sim/check/locks", "sim/conformance/clients", "client"}},
	"sim/check/handles":        {support, []string{"sim/check/locks", "sim/conformance/lockwait", "sim/conformance/clients", "replica/master/nodeops", "replica/driver"}},
	"sim/check/sessions":       {support, []string{"sim/check/locks", "sim/check/leases", "sim/model"}},
	"sim/check/shares":         {support, []string{"sim/model"}},
	"sim/check/growth":         {support, []string{"sim/plan", "replica/driver"}},
	"sim/check/backups":        {support, []string{"sim/plan", "replica/disk/backup"}},
	"sim/check/beliefs":        {support, []string{"sim/check/sessions", "sim/check/agreement", "sim/conformance/clients", "sim/resource"}},
	"sim/worldtest":            {support, []string{"sim"}},
	"sim/workload":             {support, []string{"sim/plan", "sim/event", "sim/model", "sim/resource", "sim/scenario"}},
	"sim/adversary":            {support, []string{"sim/workload", "sim/describe"}},
	"sim/faults":               {support, []string{"sim/plan", "sim/event", "sim/model", "sim/damage", "sim/scenario"}},
	"sim/cluster":              {support, []string{"sim/plan", "sim/model", "sim/damage", "replica/disk/diskjobs"}},
	"sim/cellkit":              {support, []string{"sim/describe", "client", "sim/check/agreement", "sim/check/beliefs", "sim/check/histories", "sim/check/leases", "sim/check/locks", "sim/conformance/clients", "sim/damage", "sim/ondisk", "replica/disk/diskjobs"}},
	"sim/crowd":                {support, []string{"sim/plan", "client/session"}},
	"sim/restore":              {support, []string{"sim/plan", "sim/model", "sim/damage", "replica/disk/diskjobs", "replica/disk/backup"}},
	"sim/conformance/lockwait": {support, []string{"sim", "sim/model"}},
	"sim/cell":                 {support, []string{"sim/cluster", "sim/crowd", "sim/restore", "sim/faults", "sim/adversary", "sim/workload", "sim/describe", "sim/plan", "sim/model", "sim/damage", "sim/check/leases", "sim/check/agreement", "sim/check/locks", "sim/check/histories", "sim/check/events", "sim/check/caches", "sim/check/handles", "sim/check/sessions", "sim/check/beliefs", "sim/check/shares", "sim/check/backups", "sim/check/growth", "sim/conformance/lockwait", "sim/conformance/clients", "sim/conformance/replicas", "sim/ondisk", "db", "replica/disk/diskjobs", "replica/disk/backup"}},
	"sim/runner":               {support, []string{"sim/cell", "sim/plan", "sim/shrink", "sim/page"}},
	"sim/shrink":               {support, []string{"sim/cell", "sim/plan"}},
	"sim/moments":              {support, []string{"sim/plan", "sim/describe", "sim/event"}},
	"sim/story":                {support, []string{"sim/cell", "sim/moments"}},
	"sim/page":                 {support, []string{"sim/story"}},
	"sim/page/pagetest":        {support, []string{"internal/browsertest"}},
	"sim/tour":                 {support, []string{"sim/moments", "sim/cell", "sim/scenario", "client"}},
	"sim/exercise":             {support, []string{"sim"}},
	"sim/experiment":           {support, []string{"sim/cell"}},
	"sim/mutants":              {support, []string{"internal/overlay", "internal/typecheck"}},
	"sim/simcmd":               {support, []string{"internal/cli", "sim/runner", "sim/experiment", "sim/shrink", "sim/story", "sim/page"}},
	"sim/lab":                  {support, []string{"sim", "sim/resource", "client"}},
	"sim/lab/labpage":          {support, []string{"sim/lab", "sim/page", "sim/describe"}},
	"sim/lab/labtest":          {support, []string{"sim/lab"}},
	"sim/lab/redlock":          {support, []string{"sim/lab"}},
	"sim/lab/chubby":           {support, []string{"sim/lab", "sim/cellkit"}},
	"sim/lab/setnx":            {support, []string{"sim/lab"}},
	"sim/lab/lockfile":         {support, []string{"sim/lab"}},
	"sim/lab/postgres":         {support, []string{"sim/lab"}},
	"sim/lab/rowlock":          {support, []string{"sim/lab"}},
	"sim/lab/setpx":            {support, []string{"sim/lab"}},
	"sim/lab/lessons":          {support, []string{"sim/lab/systems"}},
	"sim/lab/sweep":            {support, []string{"sim/lab", "sim/experiment"}},
	"sim/lab/swarm":            {support, []string{"sim/lab", "sim/experiment"}},
	"sim/lab/systems":          {support, []string{"sim/lab/chubby", "sim/lab/lockfile", "sim/lab/rowlock", "sim/lab/setnx", "sim/lab/setpx", "sim/lab/redlock", "sim/lab/zookeeper", "sim/lab/etcd", "sim/lab/consul", "sim/lab/postgres"}},
	"sim/lab/zookeeper":        {support, []string{"sim/lab"}},
	"sim/lab/etcd":             {support, []string{"sim/lab"}},
	"sim/lab/consul":           {support, []string{"sim/lab"}},
	"sim/simtest":              {support, []string{"sim/runner", "sim/story", "sim/experiment"}},
	"cmd/chubby":               {concurrent, []string{"internal/cli", "sim/simcmd", "sim/mutants", "sim/tour", "sim/lab/labpage", "sim/lab/lessons", "sim/lab/sweep", "sim/lab/systems", "sim/lab/swarm", "replica", "replica/disk/backup", "client", "linearizability", "snapshot", "internal/cellcmd"}},
}

// allowedImports is everything a package may import, found by walking the lattice.
func allowedImports(name string) []string {
	var all []string
	var walk func(string)
	walk = func(p string) {
		for _, q := range packages[p].may {
			if !slices.Contains(all, q) {
				all = append(all, q)
				walk(q)
			}
		}
	}
	walk(name)
	return all
}

// forbiddenImports are packages of the standard library, by kind. A name that
// ends in a slash stands for everything below it.
var forbiddenImports = map[kind][]string{
	pure: {
		"os", "os/", "io/fs", "net", "net/", "sync", "sync/", "math/rand", "math/rand/", "crypto/rand", "hash/maphash",
		"log", "log/", "runtime", "runtime/", "syscall", "unsafe", "context", "reflect", "embed",
	},
	synchronous: {"net", "net/", "math/rand", "math/rand/", "crypto/rand", "hash/maphash", "log", "log/", "context", "reflect"},
	support:     {"math/rand", "math/rand/", "hash/maphash"},
}

// forbiddenNames are selectors such as time.Now, by kind.
var forbiddenNames = map[kind][]string{
	pure:        {"time.Now", "time.Since", "time.Until", "time.Sleep", "time.After", "time.AfterFunc", "time.NewTimer", "time.NewTicker", "time.Tick"},
	synchronous: {"time.Now", "time.Since", "time.Until", "time.Sleep", "time.After", "time.AfterFunc", "time.NewTimer", "time.NewTicker", "time.Tick"},
}

// simulated says that a file of a support package runs inside the simulated
// world, where goroutines, clocks and unordered maps would end the rule that one
// seed is one history. Those that stand outside it are named here, with what
// they do there.
var outsideTheWorld = map[string]string{
	"sim/watchdog.go":      "prints where a coroutine hangs, from a goroutine that decides nothing",
	"sim/runner/batch.go":  "runs seeds side by side, one world a worker",
	"sim/shrink/search.go": "runs candidates side by side, one world each",
	"sim/coroutine.go":     "starts the coroutines of iter.Pull",
}
