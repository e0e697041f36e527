package cellcmd

import (
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/chubbycell/chubby/internal/cli"
	"github.com/chubbycell/chubby/internal/server"
)

// devMark is the file that says how many replicas were founded in a directory. While it is
// missing none of them has ever run.
const devMark = "dev.json"

// found founds all replicas before any of them runs.
func (d *dev) found(cfgs []server.Config) error {
	for _, c := range cfgs {
		if err := server.Found(c); err != nil {
			return err
		}
	}
	text, err := json.Marshal(map[string]int{"replicas": d.replicas})
	if err != nil {
		return err
	}
	return server.ReplaceFile(filepath.Join(d.dir, devMark), append(text, '\n'), 0o600)
}

// readMark reads how many replicas a directory has.
func (d *dev) readMark() (founded bool, err error) {
	name := filepath.Join(d.dir, devMark)
	text, err := os.ReadFile(name)
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	var have struct{ Replicas int }
	if err == nil {
		err = json.Unmarshal(text, &have)
	}
	switch {
	case err != nil:
		return false, cli.Usage("%s: %v", name, err)
	case have.Replicas < 1 || have.Replicas > maxDev:
		return false, cli.Usage("%s: it says that the cell has %d replicas; a cell of chubby dev has 1 to %d", name, have.Replicas, maxDev)
	case d.chosen && have.Replicas != d.replicas:
		return false, cli.Usage("--replicas %d: %s has a cell of %d; leave --replicas out, or remove the directory to start a new cell", d.replicas, d.dir, have.Replicas)
	}
	d.replicas = have.Replicas
	return true, nil
}
