// Package parameter makes what can be changed about an experiment, or said on the
// command line, out of the fields of a struct. Each stands once, with its default
// and what is allowed:
//
//	type config struct {
//		Clients []int         `default:"10,20" range:"1 1000" help:"how many there are"`
//		Limit   time.Duration `default:"5m" range:"1s 24h" help:"length of a run"`
//		Mode    string        `choice:"quick slow" default:"quick" help:"of an outage"`
//	}
//
// A parameter is a field with the tag help, and a field _ goes on with the help of the
// one before it. The name is that of the field in small letters, or the tag long. [Of] also
// looks into embedded structs. A field that is not zero already keeps its value as the default.
package parameter
