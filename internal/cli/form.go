package cli

import "github.com/spf13/cobra"

// Form is the flag -o: "table" or "json".
type Form string

// Register adds the flag to a command.
func (f *Form) Register(c *cobra.Command) {
	*f = "table"
	c.Flags().StringVarP((*string)(f), "output", "o", "table", "form of what is printed: table or json")
}

// Check refuses other forms.
func (f Form) Check() error {
	if f != "table" && f != "json" {
		return Usage("-o %q: table or json", string(f))
	}
	return nil
}
