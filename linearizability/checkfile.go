package linearizability

import (
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/chubbycell/chubby/linearizability/jepsen"
)

// ErrModel is wrapped by the error of CheckFile for an unknown model.
var ErrModel = errors.New("unknown model")

// ModelNames returns the names of the models that CheckFile knows, in order.
func ModelNames() []string {
	return []string{"cas", "file", "kv", "lock", "mutex", "queue", "register", "set"}
}

// CheckFile reads a history in one of the formats (see Format), and checks it against the model with that name. Errors
// wrap ErrModel, ErrFormat or ErrMalformed, or come from r. A verdict is never an error.
func CheckFile(r io.Reader, model string, o Options) (Report, error) {
	switch model {
	case "cas":
		return checkFile(r, CAS(), jepsen.Rows{FailedCAS: true}.Operation, o)
	case "file":
		return checkFile(r, File(), nil, o)
	case "kv":
		return checkFile(r, KV(), jepsen.Rows{Append: true}.Operation, o)
	case "lock":
		return checkFile(r, Lock(), jepsen.Lock, o)
	case "mutex":
		return checkFile(r, Mutex(), jepsen.Mutex, o)
	case "queue":
		return checkFile(r, Queue(), jepsen.Queue, o)
	case "register":
		return checkFile(r, Register(), jepsen.Rows{}.Operation, o)
	case "set":
		return checkFile(r, Set(), jepsen.Set, o)
	}
	return Report{}, fmt.Errorf("%w %q: there are %s", ErrModel, model, strings.Join(ModelNames(), ", "))
}

func checkFile[S, I, O any](r io.Reader, m *Model[S, I, O], foreign translation[I, O], o Options) (Report, error) {
	h, err := read(r, m, foreign, o)
	if err != nil {
		return Report{}, err
	}
	return CheckHistory(m, h, o)
}
