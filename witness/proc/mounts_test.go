package proc

import (
	"io/fs"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"

	"github.com/hostgc/hostgc"
)

// host is a node whose /var/lib is a disk of its own, and pods with mounts in
// and around the directories of interest.
const host = `-- 1/ns/mnt -> --
mnt:[1]
-- 1/root -> --
/
-- 1/exe -> --
/sbin/init
-- 1/ns/net -> --
net:[1]
-- 1/mountinfo --
20 1 254:0 / / rw shared:1 - ext4 /dev/vda rw
21 20 254:16 / /var/lib rw shared:2 - ext4 /dev/vdb rw
22 21 0:30 / /var/lib/cni/multus/results rw - tmpfs tmpfs rw
23 22 0:31 / /var/lib/cni/multus/results rw - tmpfs tmpfs rw
24 21 254:16 /elsewhere /var/lib/cni2 rw - ext4 /dev/vdb rw
`

// pod is a process in a mount namespace of its own, into which the host's
// /var/lib/cni is mounted at /host/cni.
const pod = `-- 812/ns/mnt -> --
mnt:[2]
-- 812/root -> --
/
-- 812/exe -> --
/app
-- 812/ns/net -> --
net:[1]
-- 812/mountinfo --
40 39 0:99 / / rw - overlay overlay rw
41 40 254:16 /cni /host/cni rw - ext4 /dev/vdb rw
42 41 0:50 / /host/cni/multus/a\040b rw - tmpfs tmpfs rw
43 41 0:51 / /host/cni/multus/deep/er/est rw - tmpfs tmpfs rw
44 41 0:52 / /host/cni/multus2 rw - tmpfs tmpfs rw
45 40 0:53 / /cni/multus/x rw - tmpfs tmpfs rw
`

func TestMountpoints(t *testing.T) {
	onIt := "a file system is mounted on it in the mount namespace of process "
	belowIt := "a file system is mounted below it in the mount namespace of process "
	tests := []struct {
		name   string
		proc   string
		places []string
		want   map[string]string
	}{
		{"nothing asked for", host + pod, nil, map[string]string{}},
		{"another disk", host + pod, []string{"254:0:/cni"}, map[string]string{}},
		{"no place at all", host + pod, []string{"multus", "1:2", "254:16:cni"}, map[string]string{}},
		{
			"host and pod", host + pod, []string{"254:16:/cni/multus"},
			map[string]string{
				"254:16:/cni/multus/results":     onIt + "1 (/sbin/init)",
				"254:16:/cni/multus/a b":         onIt + "812 (/app)",
				"254:16:/cni/multus/deep":        belowIt + "812 (/app)",
				"254:16:/cni/multus/deep/er":     belowIt + "812 (/app)",
				"254:16:/cni/multus/deep/er/est": onIt + "812 (/app)",
			},
		},
		{
			"on the directory itself", host, []string{"254:16:/cni/multus/results", "0:30:/"},
			map[string]string{
				"254:16:/cni/multus/results": onIt + "1 (/sbin/init)",
				"0:30:/":                     onIt + "1 (/sbin/init)",
			},
		},
		{
			// Only a process outside the chroot has the mount's parent.
			"a chroot before the one that sees more",
			"-- 5/ns/net -> --\nnet:[1]\n-- 5/ns/mnt -> --\nmnt:[1]\n-- 5/root -> --\n/var\n-- 5/mountinfo --\n21 20 254:16 / /lib rw - ext4 /dev/vdb rw\n" +
				strings.ReplaceAll(host, "-- 1/", "-- 60/"), []string{"254:0:/var/lib"},
			map[string]string{"254:0:/var/lib": onIt + "60 (/sbin/init)"},
		},
		{
			"recorded with namespaces, without mounts",
			"-- 5/ns/net -> --\nnet:[1]\n-- 5/ns/mnt -> --\nmnt:[1]\n", []string{"254:0:/"}, map[string]string{},
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			want := map[string]string{}
			for place, detail := range tt.want {
				want[hostgc.Ref{Space: hostgc.SpaceMount, Key: place}.String()] = detail
			}
			expect(t, node(t, tt.proc), want, tt.places...)
		})
	}
}

// counted counts how often each file is opened.
type counted struct {
	fstest.MapFS
	opened map[string]int
}

func (c counted) Open(name string) (fs.File, error) {
	c.opened[name]++
	return c.MapFS.Open(name)
}

func TestMountsAreReadOnceForEachNamespace(t *testing.T) {
	again := strings.ReplaceAll(pod, "-- 812/", "-- 813/")
	c := counted{node(t, host+pod+again), map[string]int{}}
	says(t, c, "254:16:/cni")
	if c.opened["812/mountinfo"] != 1 || c.opened["813/mountinfo"] != 0 {
		t.Errorf("opened: %v", c.opened)
	}
	c.opened = map[string]int{}
	says(t, c)
	if c.opened["812/mountinfo"] != 0 {
		t.Errorf("opened though no place was asked for: %v", c.opened)
	}
}

func TestNetworkMountedElsewhere(t *testing.T) {
	expect(t, node(t, host+`-- 40/ns/net -> --
net:[7]
-- 41/ns/net -> --
net:[7]
-- 50/ns/net -> --
net:[1]
-- 50/ns/mnt -> --
mnt:[2]
-- 50/mountinfo --
60 59 0:4 net:[7] /run/containerd/io.containerd.grpc.v1.cri/netns/cni-1 rw - nsfs nsfs rw
`), map[string]string{
		"netns//run/containerd/io.containerd.grpc.v1.cri/netns/cni-1": "process 40 is in this network namespace",
	}, "254:16:/nothing")
}

func TestPlaces(t *testing.T) {
	paths := []string{
		"/", "/etc", "/var/lib", "/var/lib/cni/multus", "/var/libs", "/var/lib/cni/multus/results/x",
		"/var/lib/cni2/x", "/opt/a b/c", "/srv/below/x",
	}
	want := []string{
		"254:0:/", "254:0:/etc", "254:16:/", "254:16:/cni/multus", "254:0:/var/libs", "0:31:/x",
		"254:16:/elsewhere/x", "0:60:/sub/c", "0:62:/below/x",
	}
	proc := node(t, host)
	proc["1/mountinfo"].Data = append(proc["1/mountinfo"].Data, `25 20 0:60 /sub /opt/a\040b rw - btrfs /dev/vdc rw
26 20 0:61 / /srv/below rw - tmpfs tmpfs rw
27 20 0:62 / /srv rw - tmpfs tmpfs rw
`...)
	got, err := Places(proc, paths...)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("places (-want +got):\n%s", diff)
	}
	for name, bad := range map[string]fs.FS{
		"nothing":   fstest.MapFS{},
		"no root":   fstest.MapFS{"1/mountinfo": file("9 8 0:4 / /etc rw - ext4 x rw\n")},
		"malformed": fstest.MapFS{"1/mountinfo": file("9 8\n")},
	} {
		if got, err := Places(bad, "/"); err == nil {
			t.Errorf("%s: no error, but %q", name, got)
		}
	}
}

func FuzzMountpoints(f *testing.F) {
	f.Add([]byte("20 1 254:0 / / rw - ext4 /dev/vda rw\n21 20 0:3 / /cni/multus/x rw - tmpfs tmpfs rw\n"))
	f.Add([]byte(`41 41 254:0 /cni /host/c\040i rw shared:1 - ext4 /dev/vdb rw` + "\n" + `42 41 0:5 /\134\012 /host/c\040i/multus rw - tmpfs tmpfs rw`))
	f.Add([]byte("7 8 0:4 net:[4026532458] /var/run/netns/cni-1 rw - nsfs nsfs rw\n"))
	f.Fuzz(func(t *testing.T, table []byte) {
		const top = "254:0:/cni"
		got, _ := says(t, fstest.MapFS{"1/mountinfo": {Data: table}, "1/comm": file("init\n")}, top)
		for ref := range got {
			place, ok := strings.CutPrefix(ref, "mount/")
			if ok && place != top && !strings.HasPrefix(place, top+"/") {
				t.Errorf("claims %q, which is not below %q", place, top)
			}
		}
		if _, err := Places(fstest.MapFS{"1/mountinfo": {Data: table}}, "/cni/x"); err == nil && len(table) == 0 {
			t.Error("a place from an empty table")
		}
	})
}
