package multusresults_test

import (
	"encoding/base64"
	"fmt"
	"strings"
	"testing"

	"github.com/hostgc/hostgc"
	"github.com/hostgc/hostgc/kind/multusresults"
)

var id = strings.Repeat("a", 64)

func entry(network, conf string) string {
	return fmt.Sprintf(`{"kind":"cniCacheV1","containerId":"%s","networkName":"%s","ifName":"eth0","config":"%s"}`,
		id, network, base64.StdEncoding.EncodeToString([]byte(conf)))
}

func TestInspectAndCause(t *testing.T) {
	for _, c := range []struct {
		content, flaw string
		delegates     bool // the delegates file is there
		cause         string
	}{
		{entry("cbr0", `{"cniVersion":"0.3.1","plugins":[]}`), "", false, hostgc.CauseLibcni120},
		{entry("cbr0", `{"plugins":[]}`), "", false, hostgc.CauseLibcni120},
		{entry("cbr0", `{"cniVersion":"0.4.0","plugins":[]}`), "", false, hostgc.CauseDelFailed},
		{entry("cbr0", `{"cniVersion":"0.3.1","type":"ptp"}`), "", false, hostgc.CauseDelFailed},
		{entry("cbr0", `torn`), "", false, hostgc.CauseDelFailed},
		{entry("cbr0", `{"cniVersion":"0.3.1","plugins":[]}`), "", true, hostgc.CauseUnknownToCRI},
		{"", "", false, hostgc.CausePowerLoss},
		{`{"kind":`, "", true, hostgc.CausePowerLoss},
		{`{"ip4":{}}`, "", false, hostgc.CauseDelFailed},
		{entry("cbr1", `{}`), "its networkName is", false, ""},
		{`null`, "no CNI cache entry", false, ""},
	} {
		k := multusresults.Kind([]string{"/d"})
		o := hostgc.Object{Name: "cbr0-" + id + "-eth0"}
		k.Inspect(&o, []byte(c.content))
		if !strings.Contains(o.Flaw, c.flaw) || c.flaw == "" && o.Flaw != "" {
			t.Errorf("%q: flaw %q, want %q", c.content, o.Flaw, c.flaw)
		}
		if c.flaw != "" {
			continue // it is no garbage, so nobody asks for a cause
		}
		cause := k.Cause(o, []byte(c.content), func(rel string) bool { return c.delegates && rel == "../"+id })
		if cause != c.cause {
			t.Errorf("%q, delegates %v: cause %q, want %q", c.content, c.delegates, cause, c.cause)
		}
	}
}
