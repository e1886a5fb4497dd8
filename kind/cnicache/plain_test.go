package cnicache

import (
	"os"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// What plain accepts, decode reads alike; else it would judge by other facts.
func FuzzPlain(f *testing.F) {
	for _, file := range []string{"multus.json", "containerd.json", "loopback.json"} {
		content, err := os.ReadFile("testdata/" + file)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(content)
	}
	for _, content := range []string{
		`{"kind":"cniCacheV1"}`,
		`{"kind":"cniCacheV1","netns":"/var/run/x","result":{"interfaces":[{"sandbox":"/run/x"}],"ips":[{"address":"10.0.0.1/8"}]}}`,
		`{"kind":"cniCacheV1","result":{"interfaces":[{"sandbox":"/run/y"}]},"netns":"/run/x"}`,
		`{"kind":"cniCacheV1","cniArgs":[["K8S_POD_NAME","a"],["K8S_POD_NAME","b"],["x"],[]],"ifName":"\u0061"}`,
		`{"kind":"cniCacheV1","kind":"x","KIND":"y","capabilityArgs":{"a":[1,-2.5e+3,true,null,"\n"]}}`,
	} {
		f.Add([]byte(content))
	}
	f.Fuzz(func(t *testing.T, content []byte) {
		quick, ok := plain(content)
		if !ok {
			return
		}
		slow, err := decode(content)
		if err != nil {
			t.Fatalf("plain accepts what decode refuses: %v", err)
		}
		if diff := cmp.Diff(slow, quick); diff != "" {
			t.Fatalf("decode (-), plain (+):\n%s", diff)
		}
	})
}

// The entries of a real node are plain.
func TestPlain(t *testing.T) {
	for _, file := range []string{"multus.json", "containerd.json", "loopback.json"} {
		content, err := os.ReadFile("testdata/" + file)
		if err != nil {
			t.Fatal(err)
		}
		if _, ok := plain(content); !ok {
			t.Errorf("%s is left to encoding/json", file)
		}
	}
}

func BenchmarkParse(b *testing.B) {
	content, err := os.ReadFile("testdata/multus.json")
	if err != nil {
		b.Fatal(err)
	}
	for name, parse := range map[string]func([]byte) (Entry, error){"plain": Parse, "decode": decode} {
		b.Run(name, func(b *testing.B) {
			b.SetBytes(int64(len(content)))
			b.ReportAllocs()
			for b.Loop() {
				if _, err := parse(content); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
