package multusdelegates

import (
	"errors"
	"slices"
	"strings"

	"github.com/hostgc/hostgc/kind/torn"
)

// delegates is the content of a delegates file. Multus writes its own struct,
// so that the keys are Go names; versions before 3.0 wrote the configurations
// themselves.
type delegates []*delegate

type delegate struct {
	Conf     conf
	ConfList conf
	conf
}

type conf struct {
	Name string `json:"name"`
	Type string `json:"type"`
}

var errNoDelegates = errors.New("it is JSON, but no array of Multus delegates")

// parse decodes a delegates file. A torn.Damage is the error where it is no
// JSON, any other where Multus did not write it.
func parse(content []byte) (delegates, error) {
	var ds delegates
	if err := torn.Decode(content, &ds); torn.Damaged(err) {
		return nil, err
	} else if err != nil {
		return nil, errNoDelegates
	}
	for _, d := range ds {
		if d != nil && d.network() == "" && d.Type == "" && d.Conf.Type == "" {
			return nil, errNoDelegates
		}
	}
	return ds, nil
}

// empty reports whether Multus would panic on the file: it takes the first
// delegate, and each one's fields, without looking.
func (ds delegates) empty() bool { return len(ds) == 0 || slices.Contains(ds, nil) }

// networks gives the names of the networks, each once.
func (ds delegates) networks() string {
	var names []string
	for _, d := range ds {
		if n := d.network(); n != "" && !slices.Contains(names, n) {
			names = append(names, n)
		}
	}
	return strings.Join(names, ",")
}

// network is the name under which libcni knows the delegate's network.
func (d *delegate) network() string {
	for _, name := range []string{d.ConfList.Name, d.Conf.Name, d.Name} {
		if name != "" {
			return name
		}
	}
	return ""
}
