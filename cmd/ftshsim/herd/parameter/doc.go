// Package parameter makes what can be changed about an experiment, or said on the
// command line, out of the fields of a struct. Each stands once, with its default
// and what is allowed:
//
//	type config struct {
//		Clients []int         `long:"clients" default:"10,20" range:"1 1000" description:"how many there are"`
//		Limit   time.Duration `long:"limit" default:"5m" range:"1s 24h" description:"length of a run"`
//		Mode    string        `long:"mode" choice:"quick slow" default:"quick" description:"of an outage"`
//	}
//
// The tags are those of go-flags, and range. [Of] also looks into embedded structs.
// A field that is not zero already keeps its value as the default.
package parameter
