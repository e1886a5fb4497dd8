// Package config is hostgc's configuration file: strict YAML, in which a key
// that is not known is an error, because a misspelt "mode: report" must not
// leave a kind enforced.
package config

import (
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"os"
	"path"
	"slices"
	"strings"
	"time"

	"sigs.k8s.io/yaml"

	"github.com/hostgc/hostgc"
)

// Config is the configuration file. Every key may be left out; a flag of the
// same meaning wins over it.
type Config struct {
	// Node is this node's name in the API server. Default: $NODE_NAME, else the host name.
	Node string `json:"node,omitempty"`
	// CRI lists the endpoints to ask. Default: every known socket that exists.
	CRI []string `json:"cri,omitempty"`
	// Kubeconfig is for the API server. Default: in-cluster, else none.
	Kubeconfig string `json:"kubeconfig,omitempty"`
	// MinAge is the least age of what may be garbage, for all kinds. Default: 2h.
	MinAge Duration `json:"minAge,omitzero"`
	// Settle is the least time between the two passes of a sweep. Default: 30s.
	Settle Duration `json:"settle,omitzero"`
	// Interval is the time between the agent's cycles. Default: 10m.
	Interval Duration `json:"interval,omitzero"`
	// Jitter is the most that is added to each interval at random. Default: 1m.
	Jitter Duration `json:"jitter,omitzero"`
	// MaxRate is the most files that are removed in a second. Default: no limit.
	MaxRate int `json:"maxRate,omitempty"`
	// Kinds configures single kinds by name.
	Kinds map[string]Kind `json:"kinds,omitempty"`

	// Keep lists patterns of what is never removed: a path or a directory above
	// it, a network, or namespace/pod, with * and ? as in a shell.
	Keep []string `json:"keep,omitempty"`
	// Windows are the times in which the agent removes; outside of them it only
	// reports. Default: always.
	Windows []Window `json:"windows,omitempty"`
	// Pressure is what starts a cycle of the agent at once.
	Pressure Pressure `json:"pressure"`
	// StateDir is where the agent keeps what has to survive a restart. Empty: nowhere.
	StateDir string `json:"stateDir"`
	// Listen is the address of /metrics, /healthz and /readyz. Empty: none.
	Listen string `json:"listen"`
	// Events: each cycle that removed something is told as an Event on the Node.
	Events bool `json:"events"`
}

// Kind is the configuration of one kind.
type Kind struct {
	// Mode is off, report or enforce.
	Mode hostgc.Mode `json:"mode,omitempty"`
	// Dirs replaces the directories that were discovered.
	Dirs []string `json:"dirs,omitempty"`
	// MinAge is the least age for this kind.
	MinAge Duration `json:"minAge,omitzero"`
	// Max is the most objects that one cycle removes. Default: no limit.
	Max int `json:"max,omitempty"`
	// Retain is how many versions older than the current one stay, of the kinds
	// of data directories. Default: 1.
	Retain *int `json:"retain,omitempty"`
}

// Duration is a time.Duration written as "2h" or "90s".
type Duration time.Duration

// UnmarshalJSON reads a duration with its unit.
func (d *Duration) UnmarshalJSON(b []byte) error {
	var s string
	if err := json.Unmarshal(b, &s); err != nil {
		return fmt.Errorf("%s is not a duration: write it with its unit, as in \"2h\" or \"90s\"", b)
	}
	v, err := time.ParseDuration(s)
	if err != nil {
		return fmt.Errorf("%q is not a duration: write it with its unit, as in \"2h\" or \"90s\"", s)
	}
	*d = Duration(v)
	return nil
}

// MarshalJSON writes a duration with its unit.
func (d Duration) MarshalJSON() ([]byte, error) { return json.Marshal(time.Duration(d).String()) }

// Default is the configuration where nothing is configured.
func Default() Config {
	return Config{
		Settle:   Duration(30 * time.Second),
		Interval: Duration(10 * time.Minute),
		Jitter:   Duration(time.Minute),
		Pressure: Pressure{FreeInodes: 10, FreeBytes: 5, FreeIPs: 10},
		StateDir: "/var/lib/hostgc",
		Listen:   "127.0.0.1:9617",
		Events:   true,
	}
}

// Load reads a configuration file over the defaults and checks it.
func Load(file string, kinds []string) (Config, error) {
	b, err := os.ReadFile(file)
	if err != nil {
		return Config{}, fmt.Errorf("reading the configuration: %w", err)
	}
	c, err := Parse(b, kinds)
	if err != nil {
		return Config{}, fmt.Errorf("configuration %s: %w", file, err)
	}
	return c, nil
}

// Parse reads a configuration over the defaults and checks it.
func Parse(b []byte, kinds []string) (Config, error) {
	c := Default()
	if err := yaml.UnmarshalStrict(b, &c); err != nil {
		return Config{}, fmt.Errorf("not a valid configuration: %w", err)
	}
	for name, k := range c.Kinds {
		if k.Mode == yamlOff {
			c.SetMode(name, hostgc.ModeOff)
		}
	}
	return c, c.check(kinds)
}

// yamlOff is what YAML 1.1 makes of a bare off.
const yamlOff = "false"

func (c Config) check(kinds []string) error {
	var errs []error
	for _, f := range []struct {
		name string
		d    Duration
	}{{"minAge", c.MinAge}, {"settle", c.Settle}, {"interval", c.Interval}, {"jitter", c.Jitter}} {
		if f.d < 0 {
			errs = append(errs, fmt.Errorf("%s: must not be negative", f.name))
		}
	}
	if c.Interval <= 0 {
		errs = append(errs, errors.New("interval: must be more than zero"))
	}
	if c.MaxRate < 0 {
		errs = append(errs, errors.New("maxRate: must not be negative; 0 is no limit"))
	}
	errs = append(errs, checkAge("minAge", c.MinAge))
	for name, k := range c.Kinds {
		errs = append(errs, k.check(name, kinds))
	}
	_, calendar := c.Calendar()
	errs = append(errs, checkKeep(c.Keep), calendar, c.Pressure.check(), c.checkAgent())
	return errors.Join(errs...)
}

func (c Config) checkAgent() error {
	var errs []error
	if c.StateDir != "" && !path.IsAbs(c.StateDir) {
		errs = append(errs, fmt.Errorf("stateDir: %q is not an absolute path; \"\" keeps no state", c.StateDir))
	}
	if _, _, err := net.SplitHostPort(c.Listen); c.Listen != "" && err != nil {
		errs = append(errs, fmt.Errorf("listen: %q is not an address as in \"127.0.0.1:9617\"; \"\" serves nothing", c.Listen))
	}
	return errors.Join(errs...)
}

// checkAge keeps the minimum age above the time for which CRI-O hides a
// sandbox whose CNI DEL it still retries.
func checkAge(key string, d Duration) error {
	if d != 0 && time.Duration(d) < hostgc.MinimumAge {
		return fmt.Errorf("%s: %s is less than %s, in which a sandbox may exist that no runtime lists", key, time.Duration(d), hostgc.MinimumAge)
	}
	return nil
}

func (k Kind) check(name string, kinds []string) error {
	at := "kinds." + name
	if !slices.Contains(kinds, name) {
		return fmt.Errorf("%s: no such kind; there are %s", at, strings.Join(kinds, ", "))
	}
	errs := []error{checkAge(at+".minAge", k.MinAge)}
	switch k.Mode {
	case "", hostgc.ModeOff, hostgc.ModeReport, hostgc.ModeEnforce:
	default:
		errs = append(errs, fmt.Errorf("%s.mode: %q is not off, report or enforce", at, k.Mode))
	}
	if k.Max < 0 {
		errs = append(errs, fmt.Errorf("%s.max: must not be negative", at))
	}
	if k.Retain != nil && *k.Retain < 0 {
		errs = append(errs, fmt.Errorf("%s.retain: must not be negative", at))
	}
	for _, d := range k.Dirs {
		if !path.IsAbs(d) || path.Clean(d) != d || strings.Count(d, "/") < 2 {
			errs = append(errs, fmt.Errorf("%s.dirs: %q is not a clean absolute path of at least two parts", at, d))
		}
	}
	return errors.Join(errs...)
}

// SetMode sets the mode of a kind.
func (c *Config) SetMode(kind string, m hostgc.Mode) {
	c.set(kind, func(k *Kind) { k.Mode = m })
}

// SetDirs sets the directories of a kind.
func (c *Config) SetDirs(kind string, dirs []string) {
	c.set(kind, func(k *Kind) { k.Dirs = dirs })
}

func (c *Config) set(kind string, change func(*Kind)) {
	if c.Kinds == nil {
		c.Kinds = map[string]Kind{}
	}
	k := c.Kinds[kind]
	change(&k)
	c.Kinds[kind] = k
}
