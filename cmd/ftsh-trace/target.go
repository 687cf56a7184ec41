package main

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"os"
	"regexp"
	"strings"

	"go.opentelemetry.io/otel/exporters/otlp/otlptrace"
	"go.opentelemetry.io/otel/exporters/otlp/otlptrace/otlptracehttp"
	sdk "go.opentelemetry.io/otel/sdk/trace"
	otlp "go.opentelemetry.io/proto/otlp/trace/v1"
	"google.golang.org/protobuf/encoding/protojson"
)

// openTarget opens what a target names: a collector, or a file.
func openTarget(ctx context.Context, target string) (sdk.SpanExporter, error) {
	if !strings.Contains(target, "://") {
		f, err := os.OpenFile(target, os.O_WRONLY|os.O_APPEND|os.O_CREATE, 0o600)
		if path, ok := errors.AsType[*fs.PathError](err); ok {
			return nil, fmt.Errorf("cannot open trace %s: %w", target, path.Err)
		}
		return otlptrace.NewUnstarted(file{f}), err
	}
	u, err := url.Parse(target)
	if err != nil || u.Host == "" || u.User != nil || u.Scheme != "http" && u.Scheme != "https" {
		return nil, fmt.Errorf("trace %q: wanted a URL such as http://localhost:4318, or a file", target)
	}
	if u.Path == "" || u.Path == "/" {
		u.Path = "/v1/traces"
	}
	return otlptracehttp.New(ctx, otlptracehttp.WithEndpointURL(u.String()), otlptracehttp.WithTimeout(farewell),
		otlptracehttp.WithRetry(otlptracehttp.RetryConfig{Enabled: false})) // a retry would hold up what comes after it
}

// file is a file to whose end each message is written as a line.
type file struct{ *os.File }

// Start implements [otlptrace.Client].
func (f file) Start(context.Context) error { return nil }

// Stop implements [otlptrace.Client].
func (f file) Stop(context.Context) error { return f.Close() }

// UploadTraces implements [otlptrace.Client].
func (f file) UploadTraces(_ context.Context, spans []*otlp.ResourceSpans) error {
	text, err := protojson.MarshalOptions{UseEnumNumbers: true}.Marshal(&otlp.TracesData{ResourceSpans: spans})
	if err != nil {
		return err
	}
	var line bytes.Buffer
	if err := json.Compact(&line, text); err != nil { // protojson's blanks are random on purpose
		return err
	}
	_, err = f.Write(append(ids64.ReplaceAllFunc(line.Bytes(), hexID), '\n'))
	return err
}

// ids64 are ids in base64, as protobuf's JSON has them.
var ids64 = regexp.MustCompile(`"(?:traceId|spanId|parentSpanId)":"[^"]*"`)

// hexID writes an id in hex, as OTLP's JSON has it.
func hexID(member []byte) []byte {
	name, text, _ := bytes.Cut(member, []byte(":"))
	id, _ := base64.StdEncoding.DecodeString(string(bytes.Trim(text, `"`)))
	return fmt.Appendf(nil, `%s:"%x"`, name, id)
}
