package datadir_test

import (
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"

	bolt "go.etcd.io/bbolt"

	"github.com/hostgc/hostgc/kind/datadir"
	"github.com/hostgc/hostgc/kind/datadir/datadirtest"
	"github.com/hostgc/hostgc/kind/rke2data"
)

const (
	oldTree = "v1.31.14-rke2r1-d214997293ba"
	newTree = "v1.34.4-rke2r1-0d52262ea640"
	dbFile  = "root/var/lib/rancher/rke2/agent/containerd/io.containerd.metadata.v1.bolt/meta.db"
	runtime = "/var/lib/rancher/rke2/data/" + oldTree + "/bin/containerd-shim-runc-v2"
)

// metadata makes a database as containerd does: buckets by path, then values.
func metadata(t *testing.T, values map[string]string) []byte {
	t.Helper()
	file := filepath.Join(t.TempDir(), "meta.db")
	db, err := bolt.Open(file, 0o600, nil)
	if err != nil {
		t.Fatal(err)
	}
	err = db.Update(func(tx *bolt.Tx) error {
		for key, value := range values {
			path := strings.Split(key, "/")
			b, err := tx.CreateBucketIfNotExists([]byte(path[0]))
			for _, p := range path[1 : len(path)-1] {
				if err == nil {
					b, err = b.CreateBucketIfNotExists([]byte(p))
				}
			}
			if err != nil {
				return err
			}
			if err := b.Put([]byte(path[len(path)-1]), []byte(value)); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	// containerd holds it open and locked; so does this test while it is read.
	t.Cleanup(func() { _ = db.Close() })
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// nodeWith makes a node on which nothing uses the old directory, and puts a
// file on it.
func nodeWith(t *testing.T, file string, data []byte) *datadirtest.Node {
	t.Helper()
	n, err := datadirtest.Parse([]byte("x\n-- node --\ncurrent "+newTree+"\ntree "+oldTree+"\n"), rke2data.DefaultDir)
	if err != nil {
		t.Fatal(err)
	}
	if file != "" {
		n.Put(file, data)
	}
	return n
}

func wantVerdict(t *testing.T, n *datadirtest.Node, o datadir.Options, verdict, why string) datadir.View {
	t.Helper()
	v, err := datadir.Look(t.Context(), rke2data.Product(), n.DataDir, o)
	if err != nil {
		t.Fatal(err)
	}
	d, _ := v.Decision(oldTree)
	lines, err := v.Explain(d.Object.Path())
	if err != nil || string(d.Verdict) != verdict || !strings.Contains(strings.Join(lines, "\n"), why) {
		t.Errorf("%s, want %s, because of\n%s\nwhich is to say %q (%v)", d.Verdict, verdict, strings.Join(lines, "\n"), why, err)
	}
	return v
}

func TestDatabase(t *testing.T) {
	box := strings.Repeat("7", 64)
	cri := "v1/k8s.io/containers/" + box
	for name, tt := range map[string]struct {
		values       map[string]string
		verdict, why string
	}{
		"names alone": {map[string]string{cri + "/runtime/name": "io.containerd.runc.v2", "v1/k8s.io/labels/x": "y"}, "garbage", "2 containers"},
		"a path": {map[string]string{cri + "/runtime/name": runtime, cri + "/labels/io.cri-containerd.kind": "sandbox",
			cri + "/labels/io.kubernetes.pod.name": "web-0", cri + "/labels/io.kubernetes.pod.namespace": "shop"}, "live", "pod shop/web-0 (sandbox 7777777777777) has v1.31.14-rke2r1 in its runtime"},
		"options":           {map[string]string{"v1/default/containers/x/runtime/options": "\n\x05types\x12\x10" + runtime + "\x00"}, "live", "in its runtime or options"},
		"a sandbox":         {map[string]string{"v1/k8s.io/sandboxes/" + box + "/runtime/name": runtime}, "live", "in its runtime or options"},
		"its specification": {map[string]string{cri + "/spec": `{"mounts":[{"source":"` + runtime + `"}]}`}, "live", "in its runtime or options"},
		"an extension":      {map[string]string{cri + "/extensions/a/b/c": "\xff" + runtime + "\xff"}, "live", "in its runtime or options"},
		"nothing yet":       {map[string]string{"v0/x": "y"}, "garbage", "0 containers"},
	} {
		t.Run(name, func(t *testing.T) {
			if name == "names alone" {
				tt.values["v1/default/containers/x/createdat"] = "y"
			}
			n := nodeWith(t, dbFile, metadata(t, tt.values))
			wantVerdict(t, n, n.Options(), tt.verdict, tt.why)
		})
	}
}

func TestDatabaseOfAnotherRoot(t *testing.T) {
	n := nodeWith(t, "root/srv/c/io.containerd.metadata.v1.bolt/meta.db", metadata(t, map[string]string{"v1/default/containers/x/runtime/name": runtime}))
	wantVerdict(t, n, n.Options(), "garbage", "")
	n.Put("root/etc/containerd/config.toml", []byte("root = \"/srv/c\"\n"))
	wantVerdict(t, n, n.Options(), "live", "in its runtime or options")
}

// TestDatabaseDamaged: what cannot be read keeps everything, and no damage
// brings the program down.
func TestDatabaseDamaged(t *testing.T) {
	whole := metadata(t, map[string]string{"v1/k8s.io/containers/x/runtime/name": "io.containerd.runc.v2"})
	for name, data := range map[string][]byte{
		"empty": nil, "text": []byte("no database"), "cut": whole[:len(whole)/4],
		"zeroed": append(append([]byte(nil), whole[:2*os.Getpagesize()]...), make([]byte, len(whole)-2*os.Getpagesize())...),
	} {
		t.Run(name, func(t *testing.T) {
			n := nodeWith(t, dbFile, data)
			wantVerdict(t, n, n.Options(), "unknown", "witness metadata is mute")
		})
	}
}

// restless changes its one file each time that it is opened.
type restless struct {
	fs.FS
	n int
}

func (r *restless) Open(name string) (fs.File, error) {
	if !strings.HasSuffix(name, "meta.db") {
		return r.FS.Open(name)
	}
	r.n++
	return fstest.MapFS{name: {Data: []byte{byte(r.n)}}}.Open(name)
}

func (r *restless) ReadLink(name string) (string, error)   { return fs.ReadLink(r.FS, name) }
func (r *restless) Lstat(name string) (fs.FileInfo, error) { return fs.Lstat(r.FS, name) }

func TestDatabaseThatChanges(t *testing.T) {
	n := nodeWith(t, dbFile, nil)
	o := n.Options()
	o.Root = &restless{FS: n.Root}
	wantVerdict(t, n, o, "unknown", "it changes all the time")
}
