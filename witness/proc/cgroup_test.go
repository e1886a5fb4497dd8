package proc

import (
	"regexp"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestIDs(t *testing.T) {
	tests := map[string][]string{
		"":    nil,
		"0::": nil,
		"0::/kubepods/burstable/pod0b0c/" + idA + "\n":                                                {idA},
		"0::/kubepods.slice/kubepods-pod0b0c.slice/cri-containerd-" + idA + ".scope\n":                {idA},
		"0::/kubepods.slice/kubepods-pod0b0c.slice/crio-" + idA + ".scope/container\n":                {idA},
		"0::/kubepods.slice/kubepods-pod0b0c.slice/crio-conmon-" + idB + ".scope":                     {idB},
		"0::/../../cri-containerd-" + idA + ".scope (deleted)":                                        {idA},
		"9:name=systemd:/docker/" + idA + "/kubepods/" + idB + "\n8:pids:/docker/" + idA + "\n":       {idA, idB, idA},
		"0::/kubepods-pod0b0c.slice:cri-containerd:" + idA:                                            {idA},
		"0::/" + idA[1:] + "/" + idA + "a/A" + idA[1:]:                                                nil,
		"0::/kubepods/pod3fbd6482-0e77-4619-a51c-76e7094145cb/x" + idA + "y/" + idA + idB + "-" + idB: {idA, idB},
	}
	for text, want := range tests {
		if diff := cmp.Diff(want, slices.Collect(ids(text))); diff != "" {
			t.Errorf("%q (-want +got):\n%s", text, diff)
		}
	}
}

func FuzzIDs(f *testing.F) {
	f.Add("0::/kubepods/burstable/pod0b0c/" + idA + "\n")
	f.Add("1:name=systemd:/" + idA + "\n0::/crio-" + idB + ".scope\n")
	f.Add(idA + "g" + idB + "0")
	run := regexp.MustCompile(`[0-9a-f]+`)
	f.Fuzz(func(t *testing.T, text string) {
		want := slices.DeleteFunc(run.FindAllString(text, -1), func(s string) bool { return len(s) != 64 })
		got := slices.Collect(ids(text))
		if !slices.Equal(want, got) {
			t.Errorf("%q: got %q, want %q", text, got, want)
		}
		for range ids(text) { // stops when it is told to
			break
		}
	})
}
