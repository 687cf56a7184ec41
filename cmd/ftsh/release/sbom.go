package main

import "encoding/json"

// The part of CycloneDX 1.5 that is needed to say what is in a program.
type (
	document struct {
		Format     string      `json:"bomFormat"`
		Spec       string      `json:"specVersion"`
		Version    int         `json:"version"`
		Metadata   metadata    `json:"metadata"`
		Components []component `json:"components"`
	}
	metadata struct {
		Component component `json:"component"`
	}
	component struct {
		Type     string           `json:"type"`
		Ref      string           `json:"bom-ref"`
		Name     string           `json:"name"`
		Version  string           `json:"version"`
		URL      string           `json:"purl,omitempty"`
		Licences []licenceElement `json:"licenses"`
	}
	licenceElement struct {
		Licence struct {
			ID string `json:"id"`
		} `json:"license"`
	}
)

// billOfMaterials is an SBOM in CycloneDX's JSON form. It has no date and no random
// number, so that the same programs give the same text.
func billOfMaterials(version string, modules []module) (string, error) {
	d := document{Format: "CycloneDX", Spec: "1.5", Version: 1}
	d.Metadata.Component = newComponent("application", "ftsh", version, []string{"Apache-2.0"})
	for _, m := range modules {
		c := newComponent("library", m.path, m.version, m.licences)
		c.URL = "pkg:golang/" + m.path + "@" + m.version
		d.Components = append(d.Components, c)
	}
	text, err := json.MarshalIndent(d, "", "  ")
	return string(text) + "\n", err
}

func newComponent(kind, name, version string, licences []string) component {
	c := component{Type: kind, Ref: name + "@" + version, Name: name, Version: version}
	c.Licences = make([]licenceElement, len(licences))
	for i, licence := range licences {
		c.Licences[i].Licence.ID = licence
	}
	return c
}
