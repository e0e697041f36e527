package cellcmd

import (
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"
	"go.yaml.in/yaml/v3"

	"github.com/chubbycell/chubby/internal/cli"
	"github.com/chubbycell/chubby/internal/server"
)

// checkedConfig is what serve --check-config prints with -o json; the help says so.
type checkedConfig struct {
	Config   string            `json:"config"` // the file; empty: flags and variables alone
	Valid    bool              `json:"valid"`
	Faults   []string          `json:"faults"` // on stderr, too
	Warnings []string          `json:"warnings"`
	Refused  string            `json:"refused,omitempty"`  // why serve would not start although the configuration is valid
	Settings map[string]string `json:"settings,omitempty"` // in effect, by key, as the text that a flag takes
	Exit     int               `json:"exit"`
}

// checkConfig says what is wrong with the configuration, and prints the settings in effect. It starts nothing.
func (s *serve) checkConfig(c *cobra.Command) error {
	cfg, err := s.load(c)
	if err == nil {
		if bad := errors.Join(cfg.CheckFiles(), cfg.CheckBackupDir()); bad != nil {
			err = cli.Usage("%v", bad)
		}
	}
	r := checkedConfig{Config: s.config, Valid: err == nil, Faults: []string{}, Warnings: []string{}, Exit: cli.CodeOf(err)}
	if err != nil {
		r.Faults = strings.Split(err.Error(), "\n")
		if s.form != cli.FormJSON {
			return err
		}
		return errors.Join(s.Document(configSchema, r), err)
	}
	r.Warnings = append(r.Warnings, cfg.Warnings()...)
	for _, w := range r.Warnings {
		s.Warn("%s", w)
	}
	if err := cfg.CheckDir(s.bootstrap); err != nil {
		r.Refused = err.Error()
		s.Warn("the configuration is valid, but the same command without --check-config would be refused: %v", err)
	}
	effective := cfg.WithDefaults()
	if s.form == cli.FormJSON {
		r.Settings = map[string]string{}
		for _, k := range effective.Keys() {
			if text := k.Text(); text != "" {
				r.Settings[k.Name] = text
			}
		}
		return s.Document(configSchema, r)
	}
	text, err := yaml.Marshal(effective)
	if err != nil {
		return cli.Internal(err)
	}
	if cfg.LeaseGrant == 0 {
		text = fmt.Appendf(text, "# lease_grant is that of the cell, and %v in a new one\n", server.DefaultLeaseGrant)
	}
	return s.Printf("%s", text)
}
