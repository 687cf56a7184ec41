// Package trace sends what a script does to a collector of traces: spans of the
// script, its tries, attempts, waits and commands, nested, in the JSON form of the
// OpenTelemetry protocol (OTLP), to a file or over HTTP.
//
//	events → Tracer (open spans) → queue → exporter → file or collector
//
// Three things hold. A collector never delays a script nor makes it fail: what it
// does not take in time is lost and counted. Memory is bounded: the queue holds so many
// spans, a span only so much text. What is in the queue at the end is sent within two
// seconds, or lost.
//
// OpenTelemetry's own modules are not used: they bring net/http and protobuf into every
// start of the shell. The names of the fields are those of OTLP 1.x
// (opentelemetry-proto, trace.proto), in lowerCamelCase, ids in hex, times in
// nanoseconds as strings.
package trace
