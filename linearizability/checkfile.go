package linearizability

import (
	"errors"
	"fmt"
	"io"
	"strings"
)

// ErrModel is wrapped by the error of CheckFile for a model it does not know.
var ErrModel = errors.New("unknown model")

// ModelNames are the models that CheckFile knows, in order.
func ModelNames() []string { return []string{"cas", "file", "kv", "lock", "queue", "register", "set"} }

// CheckFile reads a history in the form the package doc describes and checks it
// against the model of that name. Errors wrap ErrModel, ErrFormat or
// ErrMalformed, or come from r; a verdict, whichever, is no error.
func CheckFile(r io.Reader, model string, o Options) (Report, error) {
	switch model {
	case "cas":
		return checkFile(r, CAS(), o)
	case "file":
		return checkFile(r, File(), o)
	case "kv":
		return checkFile(r, KV(), o)
	case "lock":
		return checkFile(r, Lock(), o)
	case "queue":
		return checkFile(r, Queue(), o)
	case "register":
		return checkFile(r, Register(), o)
	case "set":
		return checkFile(r, Set(), o)
	}
	return Report{}, fmt.Errorf("%w %q: there are %s", ErrModel, model, strings.Join(ModelNames(), ", "))
}

func checkFile[S, I, O any](r io.Reader, m *Model[S, I, O], o Options) (Report, error) {
	h, err := ReadJSONL(r, m, o.Read)
	if err != nil {
		return Report{}, err
	}
	return CheckHistory(m, h, o)
}
