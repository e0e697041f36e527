package cli

import (
	"slices"
	"strings"

	"github.com/spf13/cobra"
)

// Form is the flag -o: "table" or "json"; of commands that judge something also "junit".
type Form string

// The forms.
const (
	FormTable Form = "table"
	FormJSON  Form = "json"
	FormJUnit Form = "junit" // see JUnit
)

var (
	twoForms = []string{"table", "json"}
	allForms = []string{"table", "json", "junit"}
)

// Register adds the flag to a command.
func (f *Form) Register(c *cobra.Command) { f.register(c, twoForms) }

// RegisterJudged adds the flag to a command that judges something. It is checked by CheckJudged.
func (f *Form) RegisterJudged(c *cobra.Command) { f.register(c, allForms) }

func (f *Form) register(c *cobra.Command, forms []string) {
	*f = FormTable
	c.Flags().StringVarP((*string)(f), "output", "o", string(FormTable), "output format: "+listed(forms))
	_ = c.RegisterFlagCompletionFunc("output", cobra.FixedCompletions(forms, cobra.ShellCompDirectiveNoFileComp)) // the flag exists
}

// Check refuses other forms.
func (f Form) Check() error { return f.check(twoForms) }

// CheckJudged refuses other forms, of a command that judges something.
func (f Form) CheckJudged() error { return f.check(allForms) }

func (f Form) check(forms []string) error {
	if !slices.Contains(forms, string(f)) {
		return Usage("-o %q: give %s", string(f), listed(forms))
	}
	return nil
}

// listed is "a or b", "a, b or c".
func listed(forms []string) string {
	last := len(forms) - 1
	return strings.Join(forms[:last], ", ") + " or " + forms[last]
}
