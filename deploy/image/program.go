package image

import (
	"bytes"
	"debug/buildinfo"
	"debug/elf"
	"errors"
	"fmt"
	"os"
)

// Program is a static Linux program.
type Program struct {
	Content []byte
	Arch    string // as GOARCH
	Build   *buildinfo.BuildInfo
}

// ReadProgram reads a program and refuses one that cannot run in an image that
// holds nothing else.
func ReadProgram(path string) (*Program, error) {
	content, err := os.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("read the program: %w", err)
	}
	p := &Program{Content: content}
	if p.Arch, err = architecture(content); err != nil {
		return nil, fmt.Errorf("program %s: %w", path, err)
	}
	if p.Build, err = buildinfo.Read(bytes.NewReader(content)); err != nil {
		return nil, fmt.Errorf("program %s: what it was built from: %w", path, err)
	}
	return p, nil
}

// architecture reads it from the program itself, as a file name may lie.
func architecture(content []byte) (string, error) {
	f, err := elf.NewFile(bytes.NewReader(content))
	if err != nil {
		return "", fmt.Errorf("not a Linux program: %w", err)
	}
	for _, p := range f.Progs {
		if p.Type == elf.PT_INTERP {
			return "", errors.New("it is not static: build it with CGO_ENABLED=0")
		}
	}
	switch f.Machine {
	case elf.EM_X86_64:
		return "amd64", nil
	case elf.EM_AARCH64:
		return "arm64", nil
	default:
		return "", fmt.Errorf("hostgc is not released for %s", f.Machine)
	}
}
