package datadir

import (
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

func TestParseMapping(t *testing.T) {
	for line, want := range map[string]struct {
		mapping
		ok bool
	}{
		"7f0a-7f0b r-xp 00001000 08:01 131 /usr/lib/libc.so.6":   {mapping{inode{mkdev(8, 1), 131}, "/usr/lib/libc.so.6"}, true},
		"7f0a-7f0b r-xp 00001000 fd:1f 131       /a b (deleted)": {mapping{inode{mkdev(0xfd, 0x1f), 131}, "/a b (deleted)"}, true},
		"7f0a-7f0b rw-p 00000000 00:00 0       [heap]":           {},
		"7f0a-7f0b rw-p 00000000 00:00 0 ":                       {},
		"7f0a-7f0b rw-p 00000000 00:00 x /a":                     {},
		"7f0a-7f0b rw-p 00000000 zz:00 1 /a":                     {},
		"7f0a-7f0b rw-p 00000000 00:zz 1 /a":                     {},
		"":                                                       {},
	} {
		got, ok := parseMapping(line)
		if ok != want.ok || got != want.mapping {
			t.Errorf("%q: %v %v, want %v", line, got, ok, want)
		}
	}
}

func TestParseMount(t *testing.T) {
	for line, want := range map[string][2]string{
		"36 35 98:0 /a/b //x rw - ext3 /dev/root rw":                                 {"/a/b", "//x"},
		"36 35 98:0 /a//deleted /m rw,noatime master:1 - ext3 /dev/root rw,errors=x": {"/a//deleted", "/m"},
		"36 35 98:0 net:[4026531992] /run/netns/x rw shared:1 - nsfs nsfs rw":        {"net:[4026531992]", "/run/netns/x"},
		"36 35 98:0 / /m rw":                    {},
		"36 35 98:0 / m rw - ext3 /dev/root rw": {},
		"":                                      {},
	} {
		source, target, ok := parseMount(line)
		if ok != (want[1] != "") || source != want[0] || target != want[1] {
			t.Errorf("%q: %q %q %v", line, source, target, ok)
		}
	}
}

func TestParseLock(t *testing.T) {
	for line, want := range map[string]uint64{
		"1: FLOCK  ADVISORY  WRITE 430 08:01:131 0 EOF\n":    131,
		"2: POSIX  ADVISORY  READ 1 00:1a:7 128 128\n":       7,
		"3: OFDLCK ADVISORY  WRITE -1 08:01:131 0 EOF\n":     131,
		"1: -> FLOCK  ADVISORY  WRITE 431 08:01:131 0 EOF\n": 0,
		"4: LEASE  ACTIVE    READ 430 08:01:131 0 EOF\n":     0,
		"5: FLOCK  ADVISORY  WRITE 430 08:01:x 0 EOF\n":      0,
		"6: FLOCK  ADVISORY  WRITE 430 131 0 EOF\n":          0,
		"": 0,
	} {
		if pid, ino, ok := parseLock(line); ok != (want != 0) || ok && (ino != want || pid != strings.Fields(line)[4]) {
			t.Errorf("%q: %d %v", line, ino, ok)
		}
	}
}

func TestParseUptime(t *testing.T) {
	if up, err := parseUptime("350735.47 234388.90\n"); err != nil || up.Round(time.Second) != 350735*time.Second {
		t.Errorf("%v %v", up, err)
	}
	for _, text := range []string{"", "x 1", "-1 1", "1e99 1", "NaN"} {
		if up, err := parseUptime(text); err == nil {
			t.Errorf("%q is %s", text, up)
		}
	}
}

func TestInterlockOwner(t *testing.T) {
	for text, want := range map[string]string{
		"pid=430\nboot=x\nstart=7\ntime=y\n": "430",
		"boot=x\n pid=1 \n":                  "1",
		"pid=\n":                             "",
		"pid=12x\n":                          "",
		"Mon Nov 30 11:59:00 UTC 2026":       "",
		"":                                   "",
	} {
		if pid, ok := interlockOwner(text); pid != want || ok != (want != "") {
			t.Errorf("%q: %q", text, pid)
		}
	}
}

func TestTokens(t *testing.T) {
	for text, want := range map[string][]string{
		`binary = "/opt/bin/runc"`:            {"/opt/bin/runc"},
		`{"path":"/a/b","args":["-c=/c"]}`:    {"/a/b", "/c"},
		"export PATH=$PATH:/x/bin:/y+z@1/bin": {"/x/bin", "/y+z@1/bin"},
		"a/b /":                               nil,
		"https://example.com/x":               {"//example.com/x"}, // nothing is there
		"ExecStart=/a\n# /b":                  {"/a", "/b"},
		"/" + strings.Repeat("a", maxPath):    nil,
	} {
		if diff := cmp.Diff(want, tokens(text)); diff != "" {
			t.Errorf("%q (-want +got):\n%s", text, diff)
		}
	}
}

func TestVersionOrder(t *testing.T) {
	var versions []Version
	for _, text := range []string{
		"v1.9.9-rke2r1", "v1.10.1-rc1-rke2r1", "v1.10.1-rke2r1", "v1.34.3-dev.95ef867a", "v1.34.3+rke2r2", "v1.34.3-rke2r10", "v1.34.4+k3s1",
	} {
		v, ok := ParseVersion(text)
		if !ok || v.String() != text || !v.Known() {
			t.Fatalf("%q is no version", text)
		}
		versions = append(versions, v)
	}
	if !slices.IsSortedFunc(versions, Version.Compare) {
		t.Errorf("not in order: %v", versions)
	}
	a, _ := ParseVersion("v1.34.3+rke2r2")
	b, _ := ParseVersion("v1.34.3-rke2r2")
	if a.Compare(b) != 0 {
		t.Error("a tag is another version")
	}
	for _, text := range []string{"", "1.2.3", "v1.2", "v1.02.3", "latest"} {
		if v, ok := ParseVersion(text); ok || v.Known() {
			t.Errorf("%q is version %v", text, v)
		}
	}
}

func FuzzWord(f *testing.F) {
	f.Add("PATH=/var/lib/rancher/rke2/data/v1.2.3-abc/bin:/usr/bin", "v1.2.3-abc")
	f.Add("v1.2.3-abc.bak v1.2.3-abcd xv1.2.3-abc", "v1.2.3-abc")
	f.Fuzz(func(t *testing.T, text, word string) {
		if !regexp.MustCompile(`^[A-Za-z0-9._-]+$`).MatchString(word) {
			return
		}
		want := slices.Contains(regexp.MustCompile(`[^A-Za-z0-9._-]`).Split(text, -1), word)
		if got := hasWord(text, word); got != want {
			t.Errorf("%q in %q: %v, want %v", word, text, got, want)
		}
	})
}

func FuzzParsers(f *testing.F) {
	for _, seed := range []string{
		"7f0a-7f0b r-xp 00001000 08:01 131 /usr/lib/libc.so.6", "36 35 98:0 /a/b /x rw - ext3 /dev/root rw",
		"1: FLOCK  ADVISORY  WRITE 430 08:01:131 0 EOF", "v1.34.3-rc1-rke2r10", "350735.47 1", "pid=1\n", `"/opt/bin"`,
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		if m, ok := parseMapping(text); ok && m.ino == 0 && strings.Fields(text)[4] == "0" {
			t.Errorf("%q: a mapping of no file", text)
		}
		if source, target, ok := parseMount(text); ok && (source == "" || target[0] != '/') {
			t.Errorf("%q: %q %q", text, source, target)
		}
		if v, ok := ParseVersion(text); ok && (v.Compare(v) != 0 || v.String() != text) {
			t.Errorf("%q: %v", text, v)
		}
		if up, err := parseUptime(text); err == nil && up < 0 {
			t.Errorf("%q: %s", text, up)
		}
		for _, p := range tokens(text) {
			if p[0] != '/' || !strings.Contains(text, p) {
				t.Errorf("%q: %q", text, p)
			}
		}
		parseLock(text)
		interlockOwner(text)
	})
}
