package cellcmd

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"math"
	"net"
	"os"
	"path/filepath"
	"runtime/debug"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/spf13/cobra"

	"github.com/chubbycell/chubby/client"
	"github.com/chubbycell/chubby/internal/cli"
	"github.com/chubbycell/chubby/internal/server"
)

// maxDev is the largest cell that chubby dev runs.
const maxDev = 15

// devCell is the name of the cell.
const devCell = "dev"

// dev runs a cell in one process.
type dev struct {
	cli.Streams
	dir, listen, file string
	replicas          int
	lease             time.Duration
	chosen            bool // the number of replicas was given
	http              bool // each replica has pages
	profile           profile
	verbose           bool
	form              cli.Form

	temporary bool // dir is removed at the end
	servers   []*server.Server
	target    client.Target
}

func devCommand() *cobra.Command {
	d := &dev{}
	c := &cobra.Command{
		Use:   "dev",
		Short: "Run a whole cell in this process, to try it out",
		Long: `Dev runs all replicas of a cell in one process, on the loopback interface, until it
is interrupted. It writes a cell file, so that the other commands find the cell without
flags. Every user of this machine can call the cell, under any name: for production, run
chubby serve on each machine.

With --dir the files of the replicas stay, and the same command starts the cell again with
its sessions, locks and files. The directory must be new, empty, or that of such a cell.
Without --dir the files are removed at the end. The cell file is removed at the end, too; an
earlier one of chubby dev is replaced, any other file is refused.

With -o json it prints one line when the cell serves, and nothing more: an object with cell,
dir, temporary (dir is removed at the end), cell_file, replicas[] (each with id, addr, and with
--http the address http), ready_ns (how long that took).

Exit codes:
    0  stopped by SIGTERM
    2  usage: bad flags, an address or a directory that cannot be used, or a cell that runs already
    5  no master was elected, or a replica failed
  130  stopped by SIGINT (Ctrl-C)`,
		Example: `  chubby dev
  chubby dev --replicas 3 --dir cell --http
  chubby dev --listen 127.0.0.1:7400 --file cell.json    # then: chubby ls --cell cell.json`,
		Args: cli.None(""),
		RunE: func(c *cobra.Command, _ []string) error {
			d.Streams, d.chosen = cli.StreamsOf(c), c.Flags().Changed("replicas")
			if err := errors.Join(named(c, "dir", "file"), d.form.Check()); err != nil {
				return err
			}
			return d.run(c.Context())
		},
	}
	f := c.Flags()
	f.StringVar(&d.dir, "dir", "", "directory of the replicas' files (default: a temporary one)")
	f.IntVar(&d.replicas, "replicas", 5, "replicas of a new cell, 1 to 15")
	f.StringVar(&d.listen, "listen", "127.0.0.1:0", "host:port, on the loopback interface, at which clients reach the first replica; the others use the following ports; port 0: free ports")
	f.StringVar(&d.file, "file", "", "cell file to write (default: the one that the other commands read without --cell)")
	f.DurationVar(&d.lease, "session-lease", 12*time.Second, "session lease, 100ms to 1m: the cell ends the session of a client that is silent for longer")
	cli.AtMost(c, "session-lease", time.Minute)
	f.BoolVar(&d.http, "http", false, "serve the status page, /livez, /readyz, /metrics and /events of each replica, at addresses that dev prints")
	d.profile.register(c)
	f.BoolVarP(&d.verbose, "verbose", "v", false, "log what the replicas do, on stderr")
	d.form.Register(c)
	return c
}

func (d *dev) run(ctx context.Context) error {
	outliveReaders() // what is temporary is removed at the end
	cli.EndOnHangup(ctx)
	serviceMemory()
	if err := d.prepare(); err != nil {
		return err
	}
	defer func() {
		if d.temporary {
			os.RemoveAll(d.dir)
		}
	}()
	stopPages, err := d.profile.serve()
	if err != nil {
		return err
	}
	defer stopPages()
	begun := time.Now()
	defer d.stop()
	if err := d.start(); err != nil {
		return err
	}
	failed := make(chan error, len(d.servers))
	for _, s := range d.servers {
		go func() { failed <- s.Wait() }()
	}
	if err := d.ready(ctx); err != nil {
		return err
	}
	if err := writeCellFile(d.file, d.target); err != nil {
		return cli.Usage("--file: %v", err)
	}
	defer removeCellFile(d.file, d.target)
	if err := d.greet(time.Since(begun)); err != nil {
		return err
	}
	select {
	case err := <-failed:
		return cli.Internal(err)
	case <-ctx.Done():
		return stopped(ctx)
	}
}

// stopped is how a server ends that was told to: SIGTERM is what an operator does, and no
// failure.
func stopped(ctx context.Context) error {
	if cli.SignalOf(ctx) == syscall.SIGTERM {
		return nil
	}
	return cli.Exit(cli.ExitInterrupted)
}

// serviceMemory undoes what the program sets for the simulator: a server keeps little garbage.
func serviceMemory() {
	if os.Getenv("GOGC") == "" {
		debug.SetGCPercent(100)
	}
	if os.Getenv("GOMEMLIMIT") == "" {
		debug.SetMemoryLimit(math.MaxInt64)
	}
}

// prepare decides where everything goes.
func (d *dev) prepare() (err error) {
	if d.replicas < 1 || d.replicas > maxDev {
		return cli.Usage("--replicas %d: must be 1 to %d", d.replicas, maxDev)
	}
	if d.lease < 100*time.Millisecond || d.lease > time.Minute {
		return cli.Usage("--session-lease %v: must be 100ms to 1m", d.lease)
	}
	if err := d.prepareFile(); err != nil {
		return err
	}
	if d.dir != "" {
		return d.prepareDir()
	}
	d.temporary = true
	if d.dir, err = os.MkdirTemp("", "chubby-dev-"); err != nil {
		return cli.Usage("--dir: %v", err)
	}
	return nil
}

// prepareFile refuses a cell file whose place is taken: dev replaces the file, and removes it at the end.
func (d *dev) prepareFile() error {
	if d.file == "" {
		var err error
		if d.file, err = devFile(); err != nil {
			return err
		}
		if err := os.MkdirAll(filepath.Dir(d.file), 0o700); err != nil {
			return cli.Usage("the cell file: %v", err)
		}
	}
	if name, err := filepath.Abs(d.file); err == nil {
		d.file = name // what is printed is for any directory
	}
	switch info, err := os.Stat(d.file); {
	case errors.Is(err, fs.ErrNotExist):
		if _, err := os.Stat(filepath.Dir(d.file)); err != nil {
			return cli.Usage("--file %s: %v: name a file in a directory that exists", d.file, err)
		}
		return nil
	case err != nil:
		return cli.Usage("--file: %v", err)
	case !info.Mode().IsRegular():
		return cli.Usage("--file %s: it is no regular file: name another one", d.file)
	case info.Size() == 0:
		return nil
	}
	switch t, err := client.ParseTarget(d.file); {
	case err != nil:
		return cli.Usage("--file %s: there is a file that is no cell file: remove it, or name another one", d.file)
	case t.Cell != devCell:
		return cli.Usage("--file %s: it is the cell file of the cell %q: remove it, or name another one", d.file, t.Cell)
	case isInUse(d.file):
		return cli.Usage("a cell runs already, by the cell file %s: stop it, or write another cell file with --file, and give that to the other commands as --cell", d.file)
	}
	return nil
}

// prepareDir makes the directory of --dir, and refuses one that is in use for something else.
func (d *dev) prepareDir() error {
	if err := os.MkdirAll(d.dir, 0o700); err != nil {
		return cli.Usage("--dir: %v", err)
	}
	all, err := os.ReadDir(d.dir)
	if err != nil {
		return cli.Usage("--dir: %v", err)
	}
	for _, e := range all {
		if e.Name() == devMark {
			return nil
		}
	}
	for _, e := range all {
		if n, err := strconv.Atoi(e.Name()); err != nil || n < 1 || n > maxDev { // those are of a founding that was interrupted
			return cli.Usage("--dir %s: it has %s, and no cell of chubby dev: name an empty directory, or a new one", d.dir, e.Name())
		}
	}
	return nil
}

// configs are the configurations of the replicas, with listeners for each.
func (d *dev) configs() (cfgs []server.Config, options []server.Options, err error) {
	host, text, err := net.SplitHostPort(d.listen)
	port, bad := strconv.ParseUint(text, 10, 16)
	if err != nil || bad != nil || port != 0 && int(port)+d.replicas > 1<<16 {
		return nil, nil, cli.Usage("--listen %q: give host:port, with ports up to 65535 for all %d replicas", d.listen, d.replicas)
	}
	defer func() {
		if err != nil {
			for _, o := range options {
				o.Peers.Close()
				o.Clients.Close()
			}
		}
	}()
	members := map[uint32]string{}
	d.target = client.Target{Cell: devCell, Replicas: map[uint32]string{}}
	for i := range d.replicas {
		at := port
		if port != 0 {
			at += uint64(i)
		}
		clients, err := net.Listen("tcp", net.JoinHostPort(host, fmt.Sprint(at)))
		if err != nil {
			return nil, options, cli.Usage("--listen: %v: give an address of the loopback interface with free ports, or port 0", err)
		}
		if tcp, ok := clients.Addr().(*net.TCPAddr); ok && !tcp.IP.IsLoopback() {
			clients.Close()
			return nil, options, cli.Usage("--listen %s: not a loopback address, and chubby dev takes the names of clients without proof: use chubby serve for other machines", d.listen)
		}
		peers, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			clients.Close()
			return nil, options, cli.Internal(err)
		}
		options = append(options, server.Options{Peers: peers, Clients: clients, Logger: d.logger()})
		id := uint32(i + 1)
		members[id] = peers.Addr().String()
		d.target.Replicas[id] = clients.Addr().String()
		cfgs = append(cfgs, server.Config{
			Cell: devCell, ID: id, Members: members, Dir: filepath.Join(d.dir, fmt.Sprint(id)), ListenClients: clients.Addr().String(),
			LeaseMin: d.lease, LeaseMax: time.Minute,
		})
		if d.http {
			cfgs[i].ListenHTTP = "127.0.0.1:0"
		}
	}
	return cfgs, options, nil
}

func (d *dev) logger() *slog.Logger {
	level := slog.LevelError
	if d.verbose {
		level = slog.LevelInfo
	}
	return slog.New(slog.NewTextHandler(d.Err, &slog.HandlerOptions{Level: level}))
}

// start founds the replicas, if they are new, and starts them.
func (d *dev) start() error {
	founded, err := d.readMark()
	if err != nil {
		return err
	}
	cfgs, options, err := d.configs()
	if err != nil {
		return err
	}
	if !founded {
		err = d.found(cfgs)
	}
	for i, o := range options {
		if err != nil {
			o.Peers.Close()
			o.Clients.Close()
			continue
		}
		var s *server.Server
		if s, err = server.Start(cfgs[i], o); err == nil {
			d.servers = append(d.servers, s)
		}
	}
	if err != nil {
		return cli.Usage("%v", err)
	}
	return nil
}

// ready waits until all replicas know a master.
func (d *dev) ready(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, time.Minute)
	defer cancel()
	for _, s := range d.servers {
		if err := s.Ready(ctx); err != nil {
			if cli.SignalOf(ctx) != nil {
				return stopped(ctx)
			}
			return cli.Internal(fmt.Errorf("no master was elected: %w", err))
		}
	}
	return nil
}

// devCellReady is what dev prints with -o json; the help says so.
type devCellReady struct {
	Cell      string        `json:"cell"`
	Dir       string        `json:"dir"`
	Temporary bool          `json:"temporary"` // dir is removed at the end
	CellFile  string        `json:"cell_file"`
	Replicas  []devReplica  `json:"replicas"`
	Ready     time.Duration `json:"ready_ns"` // how long it took
}

type devReplica struct {
	ID   uint32 `json:"id"`
	Addr string `json:"addr"`           // of clients
	HTTP string `json:"http,omitempty"` // of its pages
}

// where is where the cell is, for a program.
func (d *dev) where(took time.Duration) devCellReady {
	r := devCellReady{Cell: d.target.Cell, Dir: d.dir, Temporary: d.temporary, CellFile: d.file, Replicas: []devReplica{}, Ready: took}
	for i := range d.replicas {
		x := devReplica{ID: uint32(i + 1), Addr: d.target.Replicas[uint32(i+1)]}
		if d.http {
			x.HTTP = d.servers[i].HTTPAddr().String()
		}
		r.Replicas = append(r.Replicas, x)
	}
	return r
}

// greet says where the cell is, and what to try.
func (d *dev) greet(took time.Duration) error {
	if d.form == cli.FormJSON {
		return d.Line(devSchema, d.where(took))
	}
	where := d.dir
	if d.temporary {
		where += ", removed at the end"
	}
	t := cli.NewColumns(d.Out)
	t.Row("cell\t%s, of %d replicas\nfiles\t%s\ncell file\t%s\n", d.target.Cell, d.replicas, where, d.file)
	var pages []string
	for i := range d.replicas {
		at := d.target.Replicas[uint32(i+1)]
		if d.http {
			page := d.servers[i].HTTPAddr().String()
			at, pages = at+", status page http://"+page+"/", append(pages, page)
		}
		t.Row("replica %d\t%s\n", i+1, at)
	}
	if d.http {
		t.Row("pages\t%s\n", strings.Join(pages, ","))
	}
	t.Row("ready\tafter %v; Ctrl-C stops it\n", took.Round(time.Millisecond))
	if err := t.End(); err != nil {
		return err
	}
	flag := ""
	if name, err := devFile(); err != nil || name != d.file {
		flag = " --cell " + cli.QuoteFile(d.file)
	}
	return d.Printf(`
In another terminal:
    %[1]s put%[2]s /hello "first words"
    %[1]s cat%[2]s /hello
    %[1]s lock%[2]s /job -- sh -c 'echo "I hold $CHUBBY_SEQUENCER"'
`, cli.Started("./cmd/chubby"), flag)
}

// stop ends all replicas.
func (d *dev) stop() {
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
	defer cancel()
	for _, s := range d.servers {
		if err := s.Stop(ctx); err != nil {
			d.Warn("%v", err)
		}
	}
}
