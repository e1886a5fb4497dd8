package packages

import (
	"os"
	"strings"
	"testing"
)

// used shows that what was installed works: the program, its configuration, the
// units, the manual page, the completion.
const used = `
hostgc version
hostgc kinds --config /etc/hostgc/hostgc.yaml | grep -q multus-delegates
systemd-analyze verify /usr/lib/systemd/system/hostgc.service /usr/lib/systemd/system/hostgc-sweep.service /usr/lib/systemd/system/hostgc-sweep.timer /usr/lib/systemd/system/hostgc-data-dirs.service
gzip -dc /usr/share/man/man8/hostgc.8.gz | grep -q '^.SS sweep'
bash -n /usr/share/bash-completion/completions/hostgc
`

// rest fails if anything of hostgc is left but what is named.
const rest = `
left=$(find /etc /usr /var/lib -name "*hostgc*" | sort | tr '\n' ' ')
[ "$left" = "$want" ] || { echo "left: $left, want: $want"; exit 1; }
`

func TestDeb(t *testing.T) {
	out := machine(t, `
dpkg -i `+built(t, "hostgc_*_amd64.deb")+`
`+used+`
echo '# mine' >>/etc/hostgc/hostgc.yaml
mkdir -p /var/lib/hostgc; touch /var/lib/hostgc/state.json
dpkg -i `+built(t, "hostgc_*_amd64.deb")+`
grep -q '# mine' /etc/hostgc/hostgc.yaml
dpkg -r hostgc
test -e /etc/hostgc/hostgc.yaml
test ! -e /usr/bin/hostgc
dpkg -P hostgc
want=
`+rest)
	if !strings.Contains(out, "hostgc v0.0.0-test") {
		t.Errorf("another version:\n%s", out)
	}
}

func TestRPM(t *testing.T) {
	machine(t, `
rpm -i --nodeps `+built(t, "hostgc-*.x86_64.rpm")+`
`+used+`
rpm -V --nodeps hostgc
echo '# mine' >>/etc/hostgc/hostgc.yaml
rpm -e --nodeps hostgc
test ! -e /usr/bin/hostgc
rm -r /etc/hostgc
want=
`+rest)
}

// The other architecture's packages hold the other architecture's program.
func TestArm64(t *testing.T) {
	out := machine(t, `
dpkg-deb -x `+built(t, "hostgc_*_arm64.deb")+` /srv/deb
od -An -tx1 -j18 -N1 /srv/deb/usr/bin/hostgc
rpm -qp --qf '%{ARCH}\n' `+built(t, "hostgc-*.aarch64.rpm"))
	if strings.Join(strings.Fields(out), " ") != "b7 aarch64" { // EM_AARCH64 is 183
		t.Errorf("arm64: %q", out)
	}
}

// A unit is as closed as the docs say.
func TestHardened(t *testing.T) {
	for _, unit := range []string{"hostgc.service", "hostgc-sweep.service"} {
		out := machine(t, `
dpkg -i `+built(t, "hostgc_*_amd64.deb")+` >/dev/null
systemd-analyze security --offline=true --threshold=22 /usr/lib/systemd/system/`+unit)
		if !strings.Contains(out, "exposure level for "+unit) {
			t.Errorf("%s: %s", unit, out)
		}
	}
	if docs, err := os.ReadFile("../../docs/install.md"); err != nil || !strings.Contains(string(docs), "2.1 of 10") {
		t.Error("docs/install.md does not give the exposure", err)
	}
}
