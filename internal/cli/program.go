package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"regexp"
	"runtime/debug"
	"slices"
	"strings"

	"github.com/spf13/cobra"
)

// Root is a command of all others, which itself prints its help. Its name is that of the
// program.
func Root(name, short, long string) *cobra.Command {
	c := Group(name, short)
	c.Long = long + "\n\n" + ExitHelp
	Settle(c)
	return c
}

// Settle has a command, and those below it, print no usage and no error by themselves,
// and say of a flag that cannot be read what is wrong with it.
func Settle(c *cobra.Command) {
	c.SilenceErrors, c.SilenceUsage = true, true
	c.SetFlagErrorFunc(func(c *cobra.Command, err error) error {
		if large := tooLarge(err); large != nil {
			return large
		}
		if c.HasAvailableSubCommands() && c.Flags().NArg() > 0 { // where no argument can be, the flag is of the command that is meant
			if other := c.ValidateArgs(c.Flags().Args()); other != nil {
				return other
			}
		}
		text, _, _ := strings.Cut(err.Error(), ": strconv.") // what pflag says, without its reasons
		return Usage("%s; %s --help explains the flags", text, c.CommandPath())
	})
}

// Run runs a tree of commands, tells of its error on stderr after the name of the root,
// and returns the exit code. A panic is an internal error.
func Run(ctx context.Context, root *cobra.Command, stderr io.Writer, args []string) (code int) {
	defer func() {
		if r := recover(); r != nil {
			fmt.Fprintf(stderr, "%s: internal error: %v\n%s", root.Name(), r, debug.Stack())
			code = ExitInternal
		}
	}()
	root.SetArgs(args)
	refuseUnknownShells(root, args)
	refuseUnknownTopics(root)
	refused := refuseHelpOfUnknown(root)
	err := root.ExecuteContext(ctx)
	if err == nil {
		err = *refused
	}
	if err != nil {
		if m := exclusive.FindStringSubmatch(err.Error()); m != nil {
			err = Usage("--%s: give only one of them", strings.ReplaceAll(m[1], " ", " and --"))
		}
	}
	if f := new(Failure); err != nil && !errors.As(err, &f) && ctx.Err() != nil {
		err = Interrupted()
	}
	if err != nil {
		if text := strings.TrimSpace(err.Error()); text != "" {
			fmt.Fprintf(stderr, "%s: %s\n", root.Name(), text)
		}
	}
	return CodeOf(err)
}

// exclusive is what cobra says of flags that exclude each other, with those that were given.
var exclusive = regexp.MustCompile(`^if any flags in the group \[.*\] are set none of the others can be; \[(.*)\] were all set$`)

// refuseUnknownShells has the command completion refuse a shell for which there is no script, as
// other commands refuse what they do not know: cobra prints the help, with exit code 0.
func refuseUnknownShells(root *cobra.Command, args []string) {
	root.InitDefaultCompletionCmd(args...)
	for _, c := range root.Commands() {
		if c.Name() != "completion" || c.Runnable() {
			continue
		}
		var shells []string
		for _, s := range c.Commands() {
			shells = append(shells, s.Name())
		}
		c.Args = func(c *cobra.Command, args []string) error {
			if len(args) > 0 {
				return Usage("%s %s: there is no script for this shell: give %s", c.CommandPath(), args[0], listed(shells))
			}
			return nil
		}
		c.RunE = func(c *cobra.Command, _ []string) error { return c.Help() }
	}
}

// refuseUnknownTopics has the command help refuse a command that does not exist: cobra prints the help of
// all, with exit code 0.
func refuseUnknownTopics(root *cobra.Command) {
	root.InitDefaultHelpCmd()
	for _, c := range root.Commands() {
		if c.Name() != "help" {
			continue
		}
		c.Run, c.RunE = nil, func(_ *cobra.Command, args []string) error {
			of, rest, err := root.Find(args)
			switch {
			case err != nil:
				return Usage("%v", err)
			case len(rest) > 0 && of.HasAvailableSubCommands():
				return unknown(of, rest[0])
			}
			of.InitDefaultHelpFlag()
			return of.Help()
		}
	}
}

// refuseHelpOfUnknown has --help refuse a command that does not exist: cobra prints the help of the group that
// was to have it, with exit code 0. What is refused is known after the commands have run: a help function
// returns no error.
func refuseHelpOfUnknown(root *cobra.Command) (refused *error) {
	refused = new(error)
	tell := root.HelpFunc()
	root.SetHelpFunc(func(c *cobra.Command, args []string) {
		if given := c.Flags().Args(); c.HasAvailableSubCommands() && len(given) > 0 {
			if *refused = c.ValidateArgs(given); *refused != nil {
				return
			}
		}
		tell(c, args)
	})
	return refused
}

// Group is a command that only holds others.
func Group(use, short string, commands ...*cobra.Command) *cobra.Command {
	c := &cobra.Command{Use: use, Short: short, RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() }}
	c.Args = NoOther
	c.AddCommand(commands...)
	return c
}

// NoOther demands that a command that holds others has no argument: it would be one that does not exist.
func NoOther(c *cobra.Command, args []string) error {
	if len(args) > 0 {
		return unknown(c, args[0])
	}
	return nil
}

// unknown is the error of a command that a group does not have, with those that may be meant: one that says
// that it goes by that name elsewhere, or those of that name in groups below, and those with a name much like it.
func unknown(c *cobra.Command, name string) error {
	var like []string
	for _, sub := range c.Commands() {
		if slices.Contains(sub.SuggestFor, name) {
			like = append(like, sub.Name())
		}
	}
	if len(like) == 0 {
		c.SuggestionsMinimumDistance = 1
		like = append(below(c, name), c.SuggestionsFor(name)...)
	}
	hint := ""
	if n := len(like); n > 0 && n <= 3 {
		hint = "did you mean " + strings.Join(like, ", ") + "? "
	}
	return Usage("unknown command %q for %q: %s%s --help lists the commands", name, c.CommandPath(), hint, c.CommandPath())
}

// below are the commands in the groups of a group that have a name, or go by it elsewhere, as they are typed after
// the outer group.
func below(c *cobra.Command, name string) (all []string) {
	for _, group := range c.Commands() {
		for _, sub := range group.Commands() {
			if sub.IsAvailableCommand() && (sub.Name() == name || slices.Contains(sub.SuggestFor, name)) {
				all = append(all, group.Name()+" "+sub.Name())
			}
		}
		for _, deeper := range below(group, name) {
			all = append(all, group.Name()+" "+deeper)
		}
	}
	return all
}

// None demands that there are no arguments but flags. hint, which may be empty, says what else may be meant.
func None(hint string) cobra.PositionalArgs {
	return func(c *cobra.Command, args []string) error {
		switch {
		case len(args) == 0:
			return nil
		case hint == "":
			return Usage("%s takes no argument, and %q is one", c.CommandPath(), args[0])
		}
		return Usage("%s takes no argument, and %q is one: %s", c.CommandPath(), args[0], hint)
	}
}

// Some demands from least to most arguments (most 0: any number), and says what.
func Some(least, most int, what string) cobra.PositionalArgs {
	return func(c *cobra.Command, args []string) error {
		if n := len(args); n < least || most > 0 && n > most {
			return Usage("%s takes %s; the number of arguments is %d", c.CommandPath(), what, n)
		}
		return nil
	}
}

// One demands one argument, and says what.
func One(what string) cobra.PositionalArgs {
	return func(c *cobra.Command, args []string) error {
		if len(args) != 1 {
			return Usage("%s takes one argument, the %s; the number of arguments is %d", c.CommandPath(), what, len(args))
		}
		return nil
	}
}
