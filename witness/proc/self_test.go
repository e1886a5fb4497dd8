package proc

import (
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"
)

func TestSelfIDs(t *testing.T) {
	tests := []struct {
		name, cgroup, mounts string
		want                 []string
	}{
		{"on the host", "0::/system.slice/hostgc.service\n",
			"20 1 254:0 / / rw - ext4 /dev/vda rw\n21 20 0:5 / /run/containerd/io.containerd.runtime.v2.task/k8s.io/" + idA + "/rootfs rw - overlay o rw\n", nil},
		{"cgroup v1", "9:pids:/kubepods/pod0b0c/" + idB + "\n8:cpu:/kubepods/pod0b0c/" + idB + "\n", "", []string{idB}},
		{"containerd in a cgroup namespace", "0::/\n",
			"40 39 0:9 / / rw - overlay overlay rw\n" +
				"41 40 8:1 /var/lib/kubelet/pods/0b0c/etc-hosts /etc/hosts rw - ext4 /dev/sda1 rw\n" +
				"42 40 8:1 /var/lib/containerd/io.containerd.grpc.v1.cri/sandboxes/" + idA + "/hostname /etc/hostname rw - ext4 /dev/sda1 rw\n" +
				"43 40 8:1 /var/lib/containerd/io.containerd.grpc.v1.cri/sandboxes/" + idA + "/resolv.conf /etc/resolv.conf rw - ext4 /dev/sda1 rw\n" +
				"44 40 0:20 /io.containerd.grpc.v1.cri/sandboxes/" + idB + "/shm /host/run/x rw - tmpfs tmpfs rw\n",
			[]string{idA}},
		{"CRI-O", "0::/../crio-" + idB + ".scope\n",
			"43 40 0:25 /containers/storage/overlay-containers/" + idA + "/userdata/resolv.conf /etc/resolv.conf rw - tmpfs tmpfs rw\n",
			[]string{idA, idB}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got := SelfIDs(fstest.MapFS{
				"self": link("77"), "77/cgroup": file(tt.cgroup), "77/mountinfo": file(tt.mounts),
			})
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
	if got := SelfIDs(recorded(t)); got != nil {
		t.Errorf("of a recording: %q", got)
	}
}
