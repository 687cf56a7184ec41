package journal

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"testing"
)

func set(path, key, value string) Record {
	return Record{Kind: "test", Changes: []Change{{Path: path, Key: key, Value: json.RawMessage(value)}}}
}

func TestReopened(t *testing.T) {
	path := filepath.Join(t.TempDir(), "made", "deep", "journal")
	j, err := Open(path, Config{Hook: func(p string) { t.Log(p) }, Warn: func(w string) { t.Log(w) }})
	if err != nil {
		t.Fatal(err)
	}
	j.Write(set("a/b", "x", `{"y": [1, 2]}`))
	mark := j.Write(Record{Kind: "end", Note: map[string]any{"line": 3, "text": "a\xff <b>"}, Changes: []Change{
		{Path: "a", Key: "k\n", Value: Quote("\xfe")}, {Path: "a/c", Key: "z", Value: json.RawMessage("null")}}})
	if err := j.Sync(context.Background(), mark); err != nil {
		t.Fatal(err)
	}
	if _, err := Open(path, Config{}); err == nil || err.(*BusyError).PID != os.Getpid() {
		t.Errorf("a second one: %v", err)
	}
	if err := j.Close(); err != nil {
		t.Fatal(err)
	}
	text, _ := os.ReadFile(path)
	t.Logf("%s", text)
	j, err = Open(path, Config{})
	if err != nil {
		t.Fatal(err)
	}
	defer j.Close()
	if v, _ := j.Image().Get("a/b", "x"); string(v) != `{"y":[1,2]}` {
		t.Errorf("got %s", v)
	}
	if v, _ := j.Image().Get("a/c", "z"); string(v) != `null` {
		t.Errorf("got %s", v)
	}
	v, _ := j.Image().Get("a", "k\n")
	if s, err := Unquote(v); s != "\xfe" || err != nil {
		t.Errorf("got %q, %v", s, err)
	}
}
