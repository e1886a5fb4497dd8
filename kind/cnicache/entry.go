package cnicache

import (
	"encoding/json"
	"errors"
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/hostgc/hostgc/kind/torn"
)

// Entry is what the content of a cache file tells.
type Entry struct {
	// Bare: libcni 0.7 or older wrote it, the plugin's result and nothing
	// around it. It does not say whose it is.
	Bare bool

	ContainerID string
	Network     string
	IfName      string

	Namespace string // of the pod, as are the next two
	Pod       string
	PodUID    string // of a static pod, the hash of its configuration
	InfraID   string // the sandbox's ID once more, by which Kubernetes is known
	Clash     string // an argument of the above that stands twice and differs

	Netns []string // paths below /run; the sandbox's own is first
	IPs   []string
}

// cacheFile is the file of libcni 0.8 and newer, kind cniCacheV1. What only
// explains is taken raw: an entry is not foreign for the sake of it.
type cacheFile struct {
	Kind        string          `json:"kind"`
	ContainerID string          `json:"containerId"`
	IfName      string          `json:"ifName"`
	Network     string          `json:"networkName"`
	Netns       string          `json:"netns"`
	Args        [][]string      `json:"cniArgs"`
	Result      json.RawMessage `json:"result"`
}

const cacheKind = "cniCacheV1"

var errNoEntry = errors.New("it is JSON, but no CNI cache entry")

// Parse decodes the content of a cache file. A torn.Damage is the error where
// it is no JSON, any other where it is JSON that libcni did not write.
func Parse(content []byte) (Entry, error) {
	if e, ok := plain(content); ok {
		return e, nil
	}
	return decode(content)
}

func decode(content []byte) (Entry, error) {
	var whole map[string]json.RawMessage
	if err := torn.Decode(content, &whole); torn.Damaged(err) {
		return Entry{}, err
	} else if err != nil || whole == nil {
		return Entry{}, errNoEntry
	}
	var file cacheFile
	if err := torn.Decode(content, &file); err != nil {
		return Entry{}, fmt.Errorf("%w: %w", errNoEntry, err)
	}
	switch {
	case file.Kind == cacheKind:
		return file.entry(), nil
	case file.Kind != "":
		return Entry{}, fmt.Errorf("it is of the kind %q, which this version does not know", file.Kind)
	case !bare(whole):
		return Entry{}, errNoEntry
	}
	e := Entry{Bare: true}
	e.addResult(content)
	return e, nil
}

// bare reports whether a JSON object is the result of a plugin. All of its
// fields are optional, but one that says nothing is written by nobody.
func bare(object map[string]json.RawMessage) bool {
	for _, field := range []string{"ip4", "ip6", "ips", "interfaces"} {
		if _, ok := object[field]; ok {
			return true
		}
	}
	return false
}

func (f cacheFile) entry() Entry {
	e := Entry{ContainerID: f.ContainerID, Network: f.Network, IfName: f.IfName}
	e.addNetns(f.Netns)
	e.addResult(f.Result)
	for _, arg := range f.Args {
		if len(arg) == 2 {
			e.addArg([]byte(arg[0]), []byte(arg[1]))
		}
	}
	return e
}

// addArg takes one argument of the CNI call. In Multus' entries each key stands
// twice, once from the runtime and once from Multus. For IgnoreUnknown they are
// written differently; those that name the pod must be the same.
func (e *Entry) addArg(key, value []byte) {
	var field *string
	switch string(key) {
	case "K8S_POD_NAMESPACE":
		field = &e.Namespace
	case "K8S_POD_NAME":
		field = &e.Pod
	case "K8S_POD_UID":
		field = &e.PodUID
	case "K8S_POD_INFRA_CONTAINER_ID":
		field = &e.InfraID
	}
	switch {
	case field == nil || len(value) == 0 || *field == string(value):
	case *field != "":
		e.Clash = fmt.Sprintf("%s stands in it twice, as %q and as %q", key, *field, value)
	default:
		*field = string(value)
	}
}

// addNetns takes the path of a network namespace. /var/run is a link to /run
// everywhere, and runtimes write either.
func (e *Entry) addNetns(p string) {
	if !path.IsAbs(p) {
		return
	}
	p = path.Clean(p)
	if strings.HasPrefix(p, "/var/run/") {
		p = strings.TrimPrefix(p, "/var")
	}
	if !slices.Contains(e.Netns, p) {
		e.Netns = append(e.Netns, p)
	}
}
