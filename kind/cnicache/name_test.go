package cnicache_test

import (
	"regexp"
	"strings"
	"testing"
	"unicode"

	"pgregory.net/rapid"

	"github.com/hostgc/hostgc"
	"github.com/hostgc/hostgc/kind/cnicache"
)

var (
	idA = strings.Repeat("a", 64)
	idB = strings.Repeat("0123456789abcdef", 4)
)

func TestParseName(t *testing.T) {
	for name, want := range map[string]cnicache.Name{
		"cbr0-" + idA + "-eth0":                    {"cbr0", idA, "eth0"},
		"cni-loopback-" + idB + "-lo":              {"cni-loopback", idB, "lo"},
		"0-" + idA + "-e":                          {"0", idA, "e"},
		"a_b.c-d--" + idA + "-eth0.100":            {"a_b.c-d-", idA, "eth0.100"},
		"n-" + idA + "-net-1":                      {"n", idA, "net-1"},
		"n-" + idA + "--":                          {"n", idA, "-"},
		"n-" + idA + "-exactly15bytes_":            {"n", idA, "exactly15bytes_"},
		"n-" + idA + "-" + idB + "-eth0":           {"n-" + idA, idB, "eth0"},
		"n-" + idA + "-eth0-" + idB + "-net1":      {"n-" + idA + "-eth0", idB, "net1"},
		"n-" + idA + "-...":                        {"n", idA, "..."},
		"n-" + idA + "-é":                          {"n", idA, "é"},
		"default-" + idA + "-" + idA + "-a-b-c-d-": {"default-" + idA, idA, "a-b-c-d-"},
	} {
		if got, ok := cnicache.ParseName(name); !ok || got != want {
			t.Errorf("ParseName(%q) = %+v, %v, want %+v", name, got, ok, want)
		}
	}
}

func TestParseNameRefuses(t *testing.T) {
	for _, name := range []string{
		"", "-", "lock", idA, "-" + idA + "-", "cbr0", "cbr0-" + idA, "cbr0-" + idA + "-", idA + "-eth0",
		"-" + idA + "-eth0", "--" + idA + "-eth0", ".n-" + idA + "-eth0", "_n-" + idA + "-eth0",
		"n n-" + idA + "-eth0", "n/n-" + idA + "-eth0", "né-" + idA + "-eth0",
		"n-" + idA + "-.", "n-" + idA + "-..", "n-" + idA + "-a/b", "n-" + idA + "-a:b",
		"n-" + idA + "-a b", "n-" + idA + "-a\tb", "n-" + idA + "-a\n", "n-" + idA + "-a\u2003b",
		"n-" + idA + "-exactly16bytes__", "n-" + idA + idB + "-eth0",
		"n-" + idA + "a-eth0", "n-" + idA[:63] + "-eth0", "n-" + strings.ToUpper(idA) + "-eth0",
		"n-" + idA[:63] + "g-eth0", "n." + idA + "-eth0", "n-" + idA + ".eth0",
		"n-podman-" + idA[:12] + "-eth0",
	} {
		if got, ok := cnicache.ParseName(name); ok {
			t.Errorf("ParseName(%q) = %+v", name, got)
		}
		checkMatch(t, name)
	}
}

// FuzzParseName compares the scanner with the rule of libcni written down as an
// expression.
func FuzzParseName(f *testing.F) {
	f.Add("cbr0-" + idA + "-eth0")
	f.Add("n-" + idA + "-" + idB + "-eth0.100")
	f.Add("-" + idA + "-a b")
	f.Fuzz(func(t *testing.T, name string) {
		checkAgainstRule(t, name)
		checkMatch(t, name)
	})
}

// TestParseNameIsTheRule makes names that are nearly right.
func TestParseNameIsTheRule(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		part := rapid.OneOf(
			rapid.SampledFrom([]string{"-", "--", ".", "_", "/", " ", "n", "eth0", "net-1", idA, idB, "ABC", "é"}),
			rapid.StringMatching(`-[0-9a-f]{63,65}-`),
			rapid.StringMatching(`[a-z0-9.-]{1,16}`),
		)
		checkAgainstRule(t, strings.Join(rapid.SliceOfN(part, 1, 6).Draw(t, "parts"), ""))
	})
}

// rule is greedy in its first part, so that the last run splits the name.
var rule = regexp.MustCompile(`^([a-zA-Z0-9][a-zA-Z0-9_.-]*)-([0-9a-f]{64})-([^/:\s]*)$`)

type failer interface{ Errorf(string, ...any) }

func checkAgainstRule(t failer, name string) {
	m := rule.FindStringSubmatch(name)
	want := m != nil && len(m[3]) >= 1 && len(m[3]) <= 15 && m[3] != "." && m[3] != ".." &&
		!strings.ContainsFunc(m[3], unicode.IsSpace)
	got, ok := cnicache.ParseName(name)
	if ok != want || ok && got != (cnicache.Name{Network: m[1], Sandbox: m[2], IfName: m[3]}) {
		t.Errorf("ParseName(%q) = %+v, %v; the rule says %q", name, got, ok, m)
	}
}

// checkMatch holds that Match, which bounds the remover, and Owner, which names
// the one to ask for, never part.
func checkMatch(t failer, name string) {
	n, ok := cnicache.ParseName(name)
	ref, owned := cnicache.Owner(name)
	if cnicache.Match(name) != ok || owned != ok {
		t.Errorf("%q: ParseName %v, Match %v, Owner %v", name, ok, cnicache.Match(name), owned)
	}
	if owned && ref != (hostgc.Ref{Space: hostgc.SpaceSandbox, Key: n.Sandbox}) {
		t.Errorf("%q: owner is %v", name, ref)
	}
}

// A directory may hold a million names, and each is parsed in each pass.
func TestParseNameDoesNotAllocate(t *testing.T) {
	name := "multus-cni-network-" + idA + "-eth0"
	if n := testing.AllocsPerRun(100, func() { cnicache.Owner(name) }); n != 0 {
		t.Errorf("%v allocations a name", n)
	}
}

func BenchmarkOwner(b *testing.B) {
	name := "multus-cni-network-" + idA + "-eth0"
	for b.Loop() {
		cnicache.Owner(name)
	}
}
