package interp

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"

	"ftsh/interp/durable"
)

// A value may be in the journal before the script makes it that of a secret: the environment has it, or a file that was
// read. Then it is taken out again, under whatever name it stands.

// LeaveOut returns the value of a key of the journal without what holds the value of a secret variable.
func (s *secrets) LeaveOut(key string, raw json.RawMessage) json.RawMessage {
	encoded := bytes.IndexByte(raw, '\\') >= 0 || bytes.Contains(raw, []byte(`"base64"`))
	if !encoded && !s.mask.Hides(string(raw)) || slices.Contains([]string{"given", "command"}, key) {
		return raw // a script is continued with the arguments that it was given
	}
	kind, name, _ := strings.Cut(key, ":")
	var left any
	var err error
	switch kind + ":" {
	case keyVariable, keyLocal:
		left, err = s.variableWithout(name, raw)
	case durable.KeyTry + ":":
		var h header
		err = json.Unmarshal(raw, &h)
		left = h.without(s.mask.Hides)
	default:
		decoder := json.NewDecoder(bytes.NewReader(raw))
		decoder.UseNumber()
		if err = decoder.Decode(&left); err == nil {
			left = s.jsonWithout(key, left)
		}
	}
	text, failed := json.Marshal(left)
	if err != nil || failed != nil {
		return raw // nothing that this shell has written
	}
	return text
}

// variableWithout is a saved variable. One that is as the environment has it is so in a later run, too.
func (s *secrets) variableWithout(name string, raw json.RawMessage) (v savedVariable, err error) {
	err = json.Unmarshal(raw, &v)
	if text := v.Text(); err == nil && s.mask.Hides(text) {
		inherited, given := s.environment(name)
		v.Value, v.Inherited = durable.Value{Secret: true}, given && !v.Declared && text == inherited
	}
	return v, err
}

// jsonWithout is anything else: values are marked as secret, names of files are lost, and texts are masked.
func (s *secrets) jsonWithout(key string, json any) any {
	switch v := json.(type) {
	case string:
		switch isName := slices.Contains([]string{keyFiles, keyParked, keyDir, keyFrom}, key); {
		case !s.mask.Hides(v):
			return v
		case isName:
			return lostName
		}
		return s.mask.Text(v)
	case []any:
		for i := range v {
			v[i] = s.jsonWithout(key, v[i])
		}
	case map[string]any:
		if saved, is := savedValue(v); is && s.mask.Hides(saved.Text()) {
			return durable.Value{Secret: true}
		}
		if item, is := v["item"].(string); is && s.mask.Hides(item) { // of a failure
			delete(v, "item")
			v["item_secret"] = true
		}
		for name := range v {
			v[name] = s.jsonWithout(key, v[name])
		}
	}
	return json
}

// savedValue is the value that an object stands for, if it is one.
func savedValue(object map[string]any) (v durable.Value, is bool) {
	text, err := json.Marshal(object)
	if err != nil {
		return v, false
	}
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.DisallowUnknownFields()
	err = decoder.Decode(&v)
	return v, err == nil && len(object) > 0
}
