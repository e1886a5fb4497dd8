package discover_test

import (
	"io/fs"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/hostgc/hostgc/discover"
)

var defaults = discover.Layout{
	MultusDirs:    []string{"/var/lib/cni/multus"},
	MultusResults: []string{"/var/lib/cni/multus/results"},
	CNIResults:    []string{"/var/lib/cni/results", "/var/lib/cni/cache/results"},
	FlannelDirs:   []string{"/var/lib/cni/flannel"},
}

// with gives the defaults with changes.
func with(change func(*discover.Layout)) discover.Layout {
	l := defaults
	for _, list := range []*[]string{&l.MultusDirs, &l.MultusResults, &l.CNIResults, &l.FlannelDirs} {
		*list = slices.Clone(*list)
	}
	change(&l)
	return l
}

func root(files map[string]string) fstest.MapFS {
	m := fstest.MapFS{}
	for name, content := range files {
		m[name] = &fstest.MapFile{Data: []byte(content)}
	}
	return m
}

// check compares a layout; what it says to people is looked at by words.
func check(t *testing.T, got, want discover.Layout, warning string) {
	t.Helper()
	if diff := cmp.Diff(want, got, cmpopts.IgnoreFields(discover.Layout{}, "Found", "Warnings")); diff != "" {
		t.Errorf("want (-), got (+):\n%s", diff)
	}
	if warning == "" && len(got.Warnings) > 0 || !strings.Contains(strings.Join(got.Warnings, "\n"), warning) {
		t.Errorf("warnings %q, want %q", got.Warnings, warning)
	}
}

func TestFind(t *testing.T) {
	const multus = `{"name":"m","type":"multus","cniDir":"/data/multus"}`
	moved := func(l *discover.Layout) {
		l.MultusDirs = append(l.MultusDirs, "/data/multus")
		l.MultusResults = append(l.MultusResults, "/data/multus/results")
	}
	for name, c := range map[string]struct {
		files   map[string]string
		want    discover.Layout
		warning string
	}{
		"a node without CNI": {want: defaults},
		"Multus with the default directory": {
			files: map[string]string{"etc/cni/net.d/00-multus.conf": `{"name":"m","type":"multus","cniDir":"/var/lib/cni/multus/"}`},
			want: with(func(l *discover.Layout) {
				l.Networks, l.ConfDirs = []string{"m"}, []string{"/etc/cni/net.d"}
			}),
		},
		"thick Multus as a plugin of a conflist, below K3s": {
			files: map[string]string{
				"var/lib/rancher/k3s/agent/etc/cni/net.d/00-multus.conflist": `{"name":"m","plugins":[{"type":"multus-shim","cniDir":"/data/multus"}]}`,
			},
			want: with(func(l *discover.Layout) {
				moved(l)
				l.Networks, l.ConfDirs = []string{"m"}, []string{"/var/lib/rancher/k3s/agent/etc/cni/net.d"}
			}),
		},
		"flannel as delegate of Multus": {
			files: map[string]string{
				"etc/cni/net.d/00-multus.conf": `{"name":"m","type":"multus","delegates":[{"name":"cbr0","plugins":[{"type":"flannel","dataDir":"/data/flannel"},{"type":"portmap"}]}]}`,
			},
			want: with(func(l *discover.Layout) {
				l.FlannelDirs = append(l.FlannelDirs, "/data/flannel")
				l.Networks, l.ConfDirs = []string{"m"}, []string{"/etc/cni/net.d"}
			}),
		},
		"only the first file is the runtime's": {
			files: map[string]string{
				"etc/cni/net.d/.hidden":                                         "x",
				"etc/cni/net.d/05-note.txt":                                     "x",
				"etc/cni/net.d/10-a.conflist":                                   `{"name":"a","plugins":[{"type":"bridge"}]}`,
				"etc/cni/net.d/20-b.conf":                                       `{"name":"b","type":"bridge"}`,
				"etc/cni/multus/net.d/1.conf":                                   `{"name":"c","type":"bridge"}`,
				"var/snap/microk8s/current/args/cni-network/10-calico.conflist": `{"name":"k","plugins":[]}`,
				"etc/kubernetes/cni/net.d/1.json":                               `{"name":"a","type":"x"}`,
			},
			want: with(func(l *discover.Layout) {
				l.Networks = []string{"a", "k"}
				l.ConfDirs = []string{"/etc/cni/net.d", "/var/snap/microk8s/current/args/cni-network",
					"/etc/kubernetes/cni/net.d", "/etc/cni/multus", "/etc/cni/multus/net.d"}
			}),
		},
		"a corrupt first file leaves the network unknown": {
			files: map[string]string{
				"etc/cni/net.d/00-x.conf":      `{"name":`,
				"etc/cni/net.d/10-multus.conf": multus,
			},
			want: with(func(l *discover.Layout) {
				moved(l)
				l.ConfDirs = []string{"/etc/cni/net.d"}
			}),
			warning: "/etc/cni/net.d/00-x.conf is not used: it does not decode",
		},
		"a huge file": {
			files:   map[string]string{"etc/cni/net.d/00-x.conf": strings.Repeat(" ", 1<<20+1)},
			want:    with(func(l *discover.Layout) { l.ConfDirs = []string{"/etc/cni/net.d"} }),
			warning: "more than any CNI configuration",
		},
		"a directory named like a configuration": {
			files:   map[string]string{"etc/cni/net.d/00-x.conf/y": ""},
			want:    with(func(l *discover.Layout) { l.ConfDirs = []string{"/etc/cni/net.d"} }),
			warning: "not a regular file",
		},
		"a file in place of the directory": {
			files: map[string]string{"etc/cni/net.d": ""}, want: defaults, warning: "in /etc/cni/net.d cannot be read",
		},
		"a container engine's own configuration": {
			files: map[string]string{"etc/cni/net.d/87-podman.conflist": `{"name":"podman","plugins":[{"type":"bridge"}]}`},
			want:  with(func(l *discover.Layout) { l.ConfDirs = []string{"/etc/cni/net.d"} }),
		},
		"settings of the wrong type": {
			files: map[string]string{"etc/cni/net.d/1.conf": `{"name":7,"type":"multus","cniDir":[],"plugins":{"type":"flannel","dataDir":""},"delegates":["x",null]}`},
			want:  with(func(l *discover.Layout) { l.ConfDirs = []string{"/etc/cni/net.d"} }),
		},
		"Multus in the shared directory": {
			files: map[string]string{"etc/cni/net.d/1.conf": `{"type":"multus","cniDir":"/var/lib/cni"}`},
			want: with(func(l *discover.Layout) {
				l.ConfDirs = []string{"/etc/cni/net.d"}
				l.MultusDirs = append(l.MultusDirs, "/var/lib/cni")
			}),
			warning: "judged by the stricter rule",
		},
		"a directory of other software": {
			files:   map[string]string{"etc/cni/net.d/1.conf": `{"type":"flannel","dataDir":"/var/lib/containerd/io.containerd.content.v1.content/blobs/sha256"}`},
			want:    with(func(l *discover.Layout) { l.ConfDirs = []string{"/etc/cni/net.d"} }),
			warning: `/etc/cni/net.d/1.conf: dataDir "/var/lib/containerd/io.containerd.content.v1.content/blobs/sha256" is ignored`,
		},
	} {
		t.Run(name, func(t *testing.T) {
			got, err := discover.Find(root(c.files), nil)
			if err != nil {
				t.Fatal(err)
			}
			check(t, got, c.want, c.warning)
		})
	}
}

func TestFindTellsWhatItFound(t *testing.T) {
	l, err := discover.Find(root(map[string]string{"etc/cni/net.d/00-multus.conf": `{"name":"m","type":"multus","cniDir":"/data/multus"}`}), nil)
	want := []string{
		`/etc/cni/net.d/00-multus.conf: the runtime's network is "m"`,
		`/etc/cni/net.d/00-multus.conf: cniDir is /data/multus`,
	}
	if diff := cmp.Diff(want, l.Found); diff != "" || err != nil {
		t.Errorf("%v; want (-), got (+):\n%s", err, diff)
	}
}

func TestThickDaemon(t *testing.T) {
	const (
		conf   = `{"chrootDir":"/hostroot","cniDir":"/data/multus"}`
		volume = "var/lib/kubelet/pods/u-1/volumes/kubernetes.io~configmap/multus-daemon-config/daemon-config.json"
		other  = "var/lib/kubelet/pods/u-2/volumes/kubernetes.io~configmap/evil/daemon-config.json"
	)
	for name, c := range map[string]struct {
		files   map[string]string
		dirs    []string
		warning string
	}{
		"without cniDir":                    {files: map[string]string{volume: `{"cniVersion":"0.3.1"}`}},
		"beside the configuration":          {files: map[string]string{"etc/cni/net.d/multus.d/daemon-config.json": conf}, dirs: []string{"/data/multus"}},
		"in Multus' own place":              {files: map[string]string{"etc/cni/multus/daemon-config.json": conf}, dirs: []string{"/data/multus"}},
		"in a volume":                       {files: map[string]string{volume: conf, "data/multus/results/x": ""}, dirs: []string{"/data/multus"}},
		"in a volume, without results":      {files: map[string]string{volume: conf, "data/multus/x": ""}, warning: "does not look like Multus'"},
		"in a volume, results no directory": {files: map[string]string{volume: conf, "data/multus/results": ""}, warning: "does not look like Multus'"},
		"in a volume, a relative path":      {files: map[string]string{volume: `{"cniDir":"multus"}`}, warning: "does not look like Multus'"},
		"in any pod's volume": {
			files:   map[string]string{other: `{"cniDir":"/data/blobs/sha256"}`, "data/blobs/sha256/results/x": ""},
			warning: "any pod could have this volume",
		},
		"corrupt": {files: map[string]string{volume: "{"}, warning: "of the thick Multus daemon, /" + volume},
	} {
		t.Run(name, func(t *testing.T) {
			got, err := discover.Find(root(c.files), nil)
			if err != nil {
				t.Fatal(err)
			}
			check(t, got, with(func(l *discover.Layout) {
				l.ConfDirs = got.ConfDirs
				for _, dir := range c.dirs {
					l.MultusDirs = append(l.MultusDirs, dir)
					l.MultusResults = append(l.MultusResults, dir+"/results")
				}
			}), c.warning)
		})
	}
}

func TestOverrides(t *testing.T) {
	got, err := discover.Find(root(nil), discover.Overrides{
		"multus-results": {"/data/m/results/"}, "multus-delegates": {"/data/m"}, "cni-results": {"/data/r", "/data/s"}, "flannel-delegates": nil,
	})
	if err != nil {
		t.Fatal(err)
	}
	check(t, got, discover.Layout{
		MultusResults: []string{"/data/m/results"}, MultusDirs: []string{"/data/m"}, CNIResults: []string{"/data/r", "/data/s"},
	}, "")

	for name, over := range map[string]discover.Overrides{
		"so it can only be":               {"multus-results": {"/var/lib/cni/results"}, "cni-results": {"/data/r"}},
		`"multus": there is no such kind`: {"multus": {"/data/m"}},
		"not an absolute path":            {"cni-results": {"data/r"}},
		"directly below":                  {"cni-results": {"/data"}},
		"only be one of cni-results":      {"multus-results": {"/var/lib/cni/results"}},
		"all users of libcni share it":    {"multus-results": {"/data/r"}, "cni-results": {"/data/r"}},
	} {
		if _, err := discover.Find(root(nil), over); err == nil || !strings.Contains(err.Error(), name) {
			t.Errorf("%v: error %v, want %q", over, err, name)
		}
	}
}

func TestRefusedDirectories(t *testing.T) {
	for dir, refused := range map[string]bool{
		"/": true, "/etc": true, "/etc/cni": true, "/var/lib": true, "/var": true, "//": true, "/data": true, "": true,
		"var/lib/cni/x": true, "/var/lib/cni/../containerd": true, "/data/../x/y": true, "/var/lib/": true,
		"/var/lib/containerd": true, "/var/lib/containerd/x": true, "/var/lib/docker/overlay2": true, "/var/lib/kubelet/pods": true,
		"/var/lib/rancher/rke2": true, "/var/lib/rancher/rke2/agent/containerd/x": true, "/var/lib/rancher/k3s/data/cni": true,
		"/usr/lib/x": true, "/proc/1/ns": true, "/run/containerd/x": true,
		"/var/lib/cni": false, "/var/lib/cni/multus": false, "/var/lib/containerd-cni": false, "/opt/cni/state": false,
		"/data/multus": false, "/run/multus/cni": false, "/var/lib/rancher/k3s/agent/cni": false, "/var/snap/microk8s/common/cni": false,
	} {
		_, err := discover.Find(root(nil), discover.Overrides{"multus-delegates": {dir}})
		if (err != nil) != refused {
			t.Errorf("%q: error %v, want one: %v", dir, err, refused)
		}
	}
}

// unreadable is a root whose files cannot be opened.
type unreadable struct{ fstest.MapFS }

func (u unreadable) ReadFile(string) ([]byte, error) { return nil, fs.ErrPermission }

func TestUnreadableConfigurations(t *testing.T) {
	l, err := discover.Find(unreadable{root(map[string]string{"etc/cni/net.d/1.conf": `{"name":"a"}`})}, nil)
	if err != nil {
		t.Fatal(err)
	}
	check(t, l, with(func(l *discover.Layout) { l.ConfDirs = []string{"/etc/cni/net.d"} }), "permission denied")

	dangling := fstest.MapFS{"etc/cni/net.d/1.conf": &fstest.MapFile{Mode: fs.ModeSymlink, Data: []byte("nowhere")}}
	if l, err = discover.Find(dangling, nil); err != nil {
		t.Fatal(err)
	}
	check(t, l, with(func(l *discover.Layout) { l.ConfDirs = []string{"/etc/cni/net.d"} }), "1.conf is not used")
}

// FuzzMultusConf holds that no configuration leads to a directory that an
// operator could not give either, and that the defaults always stay.
func FuzzMultusConf(f *testing.F) {
	f.Add([]byte(`{"name":"m","type":"multus","cniDir":"/data/multus"}`))
	f.Add([]byte(`{"plugins":[{"type":"multus-shim","cniDir":"/"},{"type":"flannel","dataDir":"/var/lib"}]}`))
	f.Add([]byte(`{"type":"multus","cniDir":"/var/lib/cni","delegates":[[{"type":"flannel","dataDir":"../x"}]]}`))
	f.Add([]byte(`null`))
	f.Fuzz(func(t *testing.T, content []byte) {
		l, err := discover.Find(fstest.MapFS{"etc/cni/net.d/1.conf": &fstest.MapFile{Data: content}}, nil)
		if err != nil {
			t.Fatal(err)
		}
		if l.MultusDirs[0] != defaults.MultusDirs[0] || l.FlannelDirs[0] != defaults.FlannelDirs[0] {
			t.Errorf("the defaults are gone: %+v", l)
		}
		over := discover.Overrides{"multus-delegates": l.MultusDirs, "multus-results": l.MultusResults, "flannel-delegates": l.FlannelDirs}
		if _, err := discover.Find(fstest.MapFS{}, over); err != nil {
			t.Errorf("%q leads to a directory that is refused: %v", content, err)
		}
	})
}
