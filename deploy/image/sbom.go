package image

import (
	"debug/buildinfo"
	"encoding/json"
	"runtime/debug"
)

// bom is a bill of materials in CycloneDX 1.5's JSON, as far as we fill it.
type bom struct {
	Format      string      `json:"bomFormat"`
	SpecVersion string      `json:"specVersion"`
	Version     int         `json:"version"`
	Metadata    bomMetadata `json:"metadata"`
	Components  []component `json:"components"`
}

type bomMetadata struct {
	Component component `json:"component"`
}

type component struct {
	Type    string `json:"type"`
	Name    string `json:"name"`
	Version string `json:"version"`
	PURL    string `json:"purl"` // Package URL, by which scanners look vulnerabilities up
}

// BillOfMaterials lists what the Go linker noted in a program: the modules that
// are truly in it, and the Go standard library.
func BillOfMaterials(info *buildinfo.BuildInfo, version string) ([]byte, error) {
	b := bom{
		Format: "CycloneDX", SpecVersion: "1.5", Version: 1,
		Metadata:   bomMetadata{module("application", info.Main.Path, version)},
		Components: []component{module("library", "stdlib", info.GoVersion)},
	}
	for _, m := range info.Deps {
		b.Components = append(b.Components, module("library", m.Path, effective(m).Version))
	}
	out, err := json.MarshalIndent(b, "", "  ")
	return append(out, '\n'), err
}

func effective(m *debug.Module) *debug.Module {
	if m.Replace != nil {
		return m.Replace
	}
	return m
}

func module(kind, path, version string) component {
	return component{Type: kind, Name: path, Version: version, PURL: "pkg:golang/" + path + "@" + version}
}
