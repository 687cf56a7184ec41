package main

import (
	"fmt"
	"reflect"
	"slices"
	"strconv"

	"github.com/jessevdk/go-flags"

	"ftsh/cmd/ftshsim/herd/experiment"
	"ftsh/cmd/ftshsim/herd/parameter"
)

// options holds the options of a command of ftshsim.
type options struct {
	name   string // of the command
	about  string // stands above them in the help
	listed []*option
	wrong  error // the value that was refused
}

// option is one of them.
type option struct {
	parameter.Parameter
	of       *options
	standard string // its value if nothing is said
	given    bool   // the command line has it
}

// UnmarshalFlag implements [flags.Unmarshaler]. The error says what is allowed.
func (o *option) UnmarshalFlag(text string) error {
	err := o.Set(text)
	o.given = true
	if err != nil {
		o.of.wrong = fmt.Errorf("invalid value %q for --%s: %w", text, o.Name, err)
	}
	return err
}

// IsValidValue implements [flags.ValueValidator]: a value may begin with a dash.
func (o *option) IsValidValue(string) error { return nil }

// newOptions are those of a command that the fields of a struct stand for; see [parameter.Of].
func newOptions(command string, config any) *options {
	o := &options{name: command, about: usageOf(command) + "\n"}
	o.addOptions(parameter.Of(config)...)
	return o
}

func (o *options) addOptions(list ...parameter.Parameter) {
	for _, p := range list {
		o.listed = append(o.listed, &option{p, o, p.String(), false})
	}
}

// asStruct is the options as the library wants them: a struct with a tag at each field.
func (o *options) asStruct() any {
	var fields []reflect.StructField
	var values []reflect.Value
	for i, one := range o.listed {
		tag, value := fmt.Sprintf("long:%q", one.Name), any(one)
		if one.Short != "" {
			tag += fmt.Sprintf(" short:%q", one.Short)
		}
		if one.Type() == "bool" { // the library empties what has an optional value, if that is no function
			tag, value = tag+` optional:"yes" optional-value:"true"`, one.UnmarshalFlag
		}
		fields = append(fields, reflect.StructField{Name: "F" + strconv.Itoa(i), Type: reflect.TypeOf(value),
			Tag: reflect.StructTag(tag)})
		values = append(values, reflect.ValueOf(value))
	}
	line := reflect.New(reflect.StructOf(fields))
	for i, value := range values {
		line.Elem().Field(i).Set(value)
	}
	return line.Interface()
}

// readOptions reads a command line, and has check look at what it says, with the arguments beside the options. Where
// help is asked for it prints that. Another error names the option and what is allowed, or is that of check.
func (o *options) readOptions(args []string, check func(arguments []string) error) error {
	rest, err := flags.NewParser(o.asStruct(), flags.HelpFlag|flags.PassDoubleDash).ParseArgs(args)
	switch {
	case o.wrong != nil:
		err = o.wrong
	case flags.WroteHelp(err):
		fmt.Print(o.about + o.helpText())
		return errHelp
	case err == nil:
		err = check(rest)
	}
	if err != nil {
		return &misuse{err, "ftshsim " + o.name + " --help shows the options"}
	}
	return nil
}

// checkNoArguments says what is wrong with arguments where there are none to be.
func (o *options) checkNoArguments(rest []string) error {
	if len(rest) > 0 {
		return fmt.Errorf("%s takes no arguments, but got %q", o.name, rest)
	}
	return nil
}

func (o *options) isGiven(long string) bool {
	return slices.ContainsFunc(o.listed, func(one *option) bool { return one.Name == long && one.given })
}

// settings are the values of some options, for a report.
func (o *options) settings(names ...string) (list []experiment.Setting) {
	for _, one := range o.listed {
		if slices.Contains(names, one.Name) {
			list = append(list, experiment.Setting{Name: one.Name, Value: one.Value.String()})
		}
	}
	return list
}

// helpText lists the options and what they are if nothing is said.
func (o *options) helpText() string {
	var lines [][]string
	for _, one := range o.listed {
		head, usage := "    --"+one.Name, one.Usage
		if one.Short != "" {
			head = "-" + one.Short + ", --" + one.Name
		}
		if kind := one.Type(); kind != "bool" {
			head += " " + kind
		}
		if one.standard != "" && one.standard != "false" {
			usage += " (" + one.standard + ")"
		}
		lines = append(lines, []string{head, usage})
	}
	return alignColumns(lines, 2)
}
