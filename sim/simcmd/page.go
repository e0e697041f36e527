package simcmd

import (
	"github.com/chubbycell/chubby/internal/cli"
	"github.com/chubbycell/chubby/sim/cell"
	"github.com/chubbycell/chubby/sim/page"
	"github.com/chubbycell/chubby/sim/plan"
	"github.com/chubbycell/chubby/sim/runner"
)

// checkPage refuses a file of --page that cannot be written, or that is one of the inputs. It runs before any seed.
func (a *app) checkPage(file string, asked bool, inputs ...string) error {
	if !asked {
		return nil
	}
	return a.Writable("page", file, inputs...)
}

// paged runs a seed, and writes its page unless file is "".
func (a *app) paged(file string, o plan.Options, about page.About) (cell.Result, error) {
	if file == "" {
		return runner.Guard(a.simulate)(o), nil
	}
	r, err := runner.WithPage(file, a.simulate, o, about)
	if err != nil {
		return r, cli.Usage("--page: %v", err)
	}
	return r, nil
}
