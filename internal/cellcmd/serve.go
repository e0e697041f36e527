package cellcmd

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"github.com/chubbycell/chubby/internal/cli"
	"github.com/chubbycell/chubby/internal/server"
)

// serve runs one replica.
type serve struct {
	cli.Streams
	config           string
	bootstrap, check bool
	form             cli.Form            // of what check prints
	flags            map[string]*keyFlag // by key
	profile          profile
	rig              rig
}

func serveCommand() *cobra.Command {
	s := &serve{flags: map[string]*keyFlag{}}
	c := &cobra.Command{
		Use:   "serve [--config FILE]",
		Short: "Run one replica of a cell",
		Long: `Serve runs one replica until it is interrupted. It reads its configuration from the YAML
file that --config or the environment variable CHUBBY_SERVE_CONFIG names. Each key is also a
variable, CHUBBY_SERVE_KEY, and a flag: variables override the file, and flags override both.
If these set members, no file is needed. An unknown key, or variable with that prefix, is an
error. docs/running.md has an example, and explains the keys.

Start each replica of a new cell once with --bootstrap. Without --bootstrap serve refuses an
empty directory: it may belong to a member that has lost its disk, which must not vote again.

With --check-config -o json it prints one object, also of a configuration with faults: config
(the file; "" if there is none), valid, faults[], warnings[], refused (why serve would not
start although the configuration is valid; left out if it would), settings (of a valid one: by
key, each as the text that its flag takes), exit. Faults are errors on stderr, too.

Serve reads certificates and tokens again when their files have changed, and at SIGHUP. It
logs to stderr.

Exit codes:
    0  stopped by SIGTERM; or --check-config found no fault
    2  usage: bad flags, or a configuration or a directory that is wrong or does not fit the
       cell; starting the replica again does not help
    5  internal error, or a fault of the machine that may pass: another process uses the port
       or the directory, an address does not exist yet, the disk is full; start it again
  130  stopped by SIGINT (Ctrl-C)`,
		Example: `  chubby serve --config chubby.yaml --check-config    # print the settings in effect, and what is wrong with them
  chubby serve --config chubby.yaml --bootstrap       # once for each replica, when the cell is new
  chubby serve --config chubby.yaml                   # from then on
  chubby serve --cell one --id 1 --members 1=127.0.0.1:7401 --dir one --listen-clients 127.0.0.1:7400 --bootstrap`,
		Args: cli.None("give the configuration as --config FILE"),
		RunE: func(c *cobra.Command, _ []string) error {
			s.Streams = cli.StreamsOf(c)
			return s.run(c)
		},
	}
	f := c.Flags()
	f.StringVar(&s.config, "config", "", "configuration file in YAML (default: $CHUBBY_SERVE_CONFIG, or none if flags or variables set members)")
	f.BoolVar(&s.bootstrap, "bootstrap", false, "first start of a replica of a new cell: the directory must be empty, or come from chubby backup restore")
	f.BoolVar(&s.check, "check-config", false, "check the configuration and its files, print the settings in effect, warn if the directory does not fit, and exit")
	s.form.Register(c)
	f.Lookup("output").Usage = "output format of --check-config: table (YAML) or json"
	s.profile.register(c)
	s.rig.register(c)
	for _, k := range new(server.Config).Keys() {
		s.flags[k.Name] = &keyFlag{kind: k.Kind()}
		f.Var(s.flags[k.Name], flagOf(k.Name), k.Help)
	}
	return c
}

// keyFlag is the value of a flag that stands for a key. The key reads the text later, after the
// file and the environment.
type keyFlag struct{ text, kind string }

func (k *keyFlag) String() string { return k.text }

func (k *keyFlag) Set(text string) error { k.text = text; return nil }

// Type is what the help prints behind the flag.
func (k *keyFlag) Type() string { return k.kind }

// flagOf is the flag of a key.
func flagOf(key string) string { return strings.ReplaceAll(key, "_", "-") }

// load puts the configuration together.
func (s *serve) load(c *cobra.Command) (cfg server.Config, err error) {
	if err := named(c, "config"); err != nil {
		return cfg, err
	}
	if s.config == "" {
		s.config = os.Getenv(server.EnvConfig)
	}
	_, inEnv := os.LookupEnv(server.EnvPrefix + "MEMBERS")
	switch {
	case s.config != "":
		cfg, err = server.Load(s.config)
		if unread := new(fs.PathError); errors.As(err, &unread) {
			return cfg, cli.Usage("%v: give the file of a configuration, of which docs/running.md shows one", err)
		}
		if err != nil {
			return cfg, cli.Usage("%v", err)
		}
	case !inEnv && !c.Flags().Changed("members"):
		return cfg, cli.Usage("--config is missing: give a configuration file, of which docs/running.md shows one, or all keys as flags or variables, members among them")
	}
	if err := cfg.SetFromEnv(os.Environ()); err != nil {
		return cfg, cli.Usage("%v", err)
	}
	for _, k := range cfg.Keys() {
		if c.Flags().Changed(flagOf(k.Name)) {
			if err := k.Set(s.flags[k.Name].text); err != nil {
				return cfg, cli.Usage("--%s: %v", flagOf(k.Name), err)
			}
		}
	}
	if err := cfg.Validate(); err != nil {
		return cfg, s.fault(err)
	}
	return cfg, nil
}

// fault is an error of the configuration, with the name of the file if there is one.
func (s *serve) fault(err error) error {
	if s.config == "" {
		return cli.Usage("the configuration of flags and variables: %v", err)
	}
	return cli.Usage("%s: %v", s.config, err)
}

func (s *serve) run(c *cobra.Command) error {
	serviceMemory()
	if err := s.form.Check(); err != nil {
		return err
	}
	if s.check {
		return s.checkConfig(c)
	}
	if c.Flags().Changed("output") {
		return cli.Usage("-o %s: it is of --check-config; serve prints nothing to stdout, and logs JSON with --log-format json", s.form)
	}
	cfg, err := s.load(c)
	if err != nil {
		return err
	}
	outliveReaders() // of the log
	stopPages, err := s.profile.serve()
	if err != nil {
		return err
	}
	defer stopPages()
	hangups := awaitHangups() // before it can take long to start
	defer hangups.stop()
	options := server.Options{Bootstrap: s.bootstrap, Logger: cfg.Logger(s.Err)}
	if err := s.rig.apply(&options); err != nil {
		return err
	}
	replica, err := server.Start(cfg, options)
	if server.MayPass(err) {
		return cli.Internal(err) // it is to be started again
	}
	if err != nil {
		return cli.Usage("%v", err)
	}
	go hangups.reload(replica)
	ended := make(chan error, 1)
	go func() { ended <- replica.Wait() }()
	select {
	case err := <-ended:
		_ = replica.Stop(context.Background())
		if errors.Is(err, server.ErrConfig) {
			return s.fault(err) // it is not to be started again as it is
		}
		return cli.Exit(cli.ExitInternal) // the log has the reason
	case <-c.Context().Done():
	}
	if err := replica.Stop(context.Background()); err != nil {
		return cli.Internal(err)
	}
	return stopped(c.Context())
}
