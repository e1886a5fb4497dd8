package datadir

import (
	"errors"
	"io/fs"
	"syscall"
	"testing"
	"testing/fstest"
)

func link(to string) *fstest.MapFile {
	return &fstest.MapFile{Mode: fs.ModeSymlink | 0o777, Data: []byte(to)}
}

func TestResolve(t *testing.T) {
	root := fstest.MapFS{
		"var/lib/rancher": link("/data/rancher"), "data/rancher/x": {}, "data/rel": link("../data/rancher/./x"),
		"loop/a": link("b"), "loop/b": link("a"), "up": link("../../../etc"), "file": {}, "etc/f": {},
	}
	for p, want := range map[string]string{
		"/":                     "/",
		"/var/lib/rancher/x":    "/data/rancher/x",
		"/var/lib/rancher/../x": "/data/x",
		"/data/rel":             "/data/rancher/x",
		"/data/rel/more":        "/data/rancher/x/more",
		"/up/f":                 "/etc/f",
		"/none/at/all":          "/none/at/all",
		"/file/below":           "/file/below",
		"//var//lib//rancher":   "/data/rancher",
		"/loop/a/x":             "/loop/a/x",
	} {
		if got, err := newPaths(root).resolve(p); err != nil || got != want && p != "/loop/a/x" {
			t.Errorf("%q leads to %q, want %q (%v)", p, got, want, err)
		}
	}
}

func TestBelow(t *testing.T) {
	for p, want := range map[string]string{"/": ".", "": ".", "/a/../b/": "b", "/..": "."} {
		if got := below(p); got != want {
			t.Errorf("%q is %q", p, got)
		}
	}
}

func TestPrintable(t *testing.T) {
	if got := printable("/a\x1b[2J é\n"); got != "/a?[2J é?" {
		t.Errorf("%q", got)
	}
}

type refusing struct {
	fstest.MapFS
	err error
}

func (r refusing) ReadLink(string) (string, error) { return "", r.err }

func TestResolveErrors(t *testing.T) {
	if _, err := newPaths(refusing{fstest.MapFS{}, syscall.EACCES}).resolve("/a"); !errors.Is(err, syscall.EACCES) {
		t.Errorf("got %v", err)
	}
	for _, harmless := range []error{syscall.EINVAL, syscall.ENOTDIR, syscall.ENAMETOOLONG, fs.ErrNotExist, fs.ErrInvalid} {
		if got, err := newPaths(refusing{fstest.MapFS{}, harmless}).resolve("/a"); err != nil || got != "/a" {
			t.Errorf("%v: %q %v", harmless, got, err)
		}
	}
}
