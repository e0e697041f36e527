package runner

import (
	"fmt"
	"runtime/debug"

	"github.com/chubbycell/chubby/sim/cell"
	"github.com/chubbycell/chubby/sim/plan"
)

// Runner runs one seed. Commands use cell.Run; tests have others.
type Runner func(plan.Options) cell.Result

// Guard returns a Runner that calls run, and turns a panic of the simulator's own code into a
// Result that is Internal and names the seed: there is no verdict on the product.
func Guard(run Runner) Runner {
	return func(o plan.Options) (r cell.Result) {
		defer func() {
			if p := recover(); p != nil {
				r = cell.Result{
					Seed: o.Seed, Internal: true, Stack: string(debug.Stack()),
					Breach: &cell.Breach{Text: fmt.Sprintf("internal: the simulator panicked: %v", p)},
				}
			}
		}()
		return run(o)
	}
}
