package offline

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
)

// maxFile is the largest file read: a node has at most a few MB of sandboxes,
// and 256 MiB hold the pods of a cluster of some thousand nodes.
const maxFile = 256 << 20

// The commands that make the files.
const (
	crictlPods       = "crictl pods -o json"
	crictlContainers = "crictl ps -a -o json"
	kubectlPods      = "kubectl get pods -A -o json"
)

// load reads and parses what a command printed. Its errors name the command
// that makes a right file.
func load[T any](path, command string, parse func([]byte) (T, error)) (T, error) {
	var none T
	if path == "" {
		return none, fmt.Errorf("the output of %q is needed too and was not given", command)
	}
	content, err := read(path)
	if err != nil {
		return none, fmt.Errorf("%w; make the file with %q", err, command)
	}
	parsed, err := parse(content)
	if err != nil {
		return none, fmt.Errorf("%s: %w; make the file with %q", path, err, command)
	}
	return parsed, nil
}

func read(path string) ([]byte, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close() //nolint:errcheck // only read
	content, err := io.ReadAll(io.LimitReader(f, maxFile+1))
	if err != nil {
		return nil, err
	}
	if len(content) > maxFile {
		return nil, fmt.Errorf("%s is larger than %d MiB: leave out other nodes (kubectl: --field-selector spec.nodeName=NODE)", path, maxFile>>20)
	}
	return content, nil
}

// document is a JSON object's fields, unparsed.
type document map[string]json.RawMessage

// open checks that the content is one whole JSON object that has the list.
// Without the check, an object of anything else would be an empty list.
func open(content []byte, list string) (document, error) {
	if len(bytes.TrimSpace(content)) == 0 {
		return nil, errors.New("the file is empty")
	}
	var doc document
	if err := json.Unmarshal(content, &doc); err != nil {
		return nil, fmt.Errorf("not a whole JSON object: %w", err)
	}
	if value := bytes.TrimSpace(doc[list]); len(value) == 0 || value[0] != '[' {
		return nil, fmt.Errorf("it has no list %q", list)
	}
	return doc, nil
}
