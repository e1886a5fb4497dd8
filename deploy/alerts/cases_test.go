package alerts

// cases are series of twelve hours, a sample each five minutes ("a+bxn" starts
// at a and grows n times by b), and what the alert then says; nothing: it must
// not fire.
var cases = []struct {
	alert, name string
	series      []string
	says        []string
}{
	{"HostgcDown", "none at all", []string{`up{job="other",instance="x"} 1x144`}, []string{"any node"}},
	{"HostgcDown", "one of two", []string{
		`up{job="hostgc",instance="a"} 1x144`, `up{job="hostgc",instance="b"} 1x20 0x124`,
		`hostgc_build_info{job="hostgc",instance="a"} 1x144`, `hostgc_build_info{job="hostgc",instance="b"} 1x20 stale`,
	}, []string{"does not run on b"}},
	{"HostgcDown", "another job is down", []string{
		`up{job="hostgc",instance="a"} 1x144`, `up{job="other",instance="b"} 0x144`, `hostgc_build_info{job="hostgc",instance="a"} 1x144`,
	}, nil},
	{"HostgcDown", "a node was removed", []string{
		`up{job="hostgc",instance="a"} 1x144`, `up{job="hostgc",instance="b"} 1x20 stale`,
		`hostgc_build_info{job="hostgc",instance="a"} 1x144`, `hostgc_build_info{job="hostgc",instance="b"} 1x20 stale`,
	}, nil},

	{"HostgcNotRun", "stuck for hours", []string{
		`hostgc_last_success_timestamp_seconds{instance="a"} 0+300x100 30000x44`, `hostgc_interval_seconds{instance="a"} 660x144`,
	}, []string{"no successful cycle on a"}},
	{"HostgcNotRun", "no success yet, for hours", []string{
		`hostgc_last_success_timestamp_seconds{instance="a"} 0x144`, `hostgc_interval_seconds{instance="a"} 660x144`,
	}, []string{"a"}},
	{"HostgcNotRun", "a cycle each five minutes", []string{
		`hostgc_last_success_timestamp_seconds{instance="a"} 0+300x144`, `hostgc_interval_seconds{instance="a"} 660x144`,
	}, nil},
	{"HostgcNotRun", "a long interval", []string{
		`hostgc_last_success_timestamp_seconds{instance="a"} 36000x144`, `hostgc_interval_seconds{instance="a"} 21600x144`,
	}, nil},

	{"HostgcCannotJudge", "blind, and a witness is mute", []string{
		`hostgc_cycles_total{instance="a",result="blind"} 0+1x144`, `hostgc_cycles_total{instance="a",result="success"} 0x144`,
		`hostgc_evidence_errors_total{instance="a",witness="cri"} 0+1x144`, `hostgc_evidence_errors_total{instance="a",witness="proc"} 0x144`,
		`hostgc_evidence_errors_total{instance="b",witness="proc"} 0+1x144`,
	}, []string{"on a", "Mute: cri "}},
	{"HostgcCannotJudge", "blind, and the positive control failed", []string{
		`hostgc_cycles_total{instance="a",result="blind"} 0+1x144`, `hostgc_cycles_total{instance="a",result="success"} 0x144`,
	}, []string{"Mute: none"}},
	{"HostgcCannotJudge", "every other cycle succeeds", []string{
		`hostgc_cycles_total{instance="a",result="blind"} 0+1x144`, `hostgc_cycles_total{instance="a",result="success"} 0+1x144`,
	}, nil},
	{"HostgcCannotJudge", "blind once, after an upgrade", []string{
		`hostgc_cycles_total{instance="a",result="blind"} 0x20 1x124`, `hostgc_cycles_total{instance="a",result="success"} 0+1x144`,
	}, nil},

	{"HostgcLeakRateHigh", "two kinds", []string{
		`hostgc_new_garbage_total{instance="a",kind="cni-results"} 0+3x144`, `hostgc_new_garbage_total{instance="a",kind="multus-results"} 0+3x144`,
		`hostgc_causes{instance="a",kind="x",cause="delegate-del-failed",network="cbr0"} 9x144`,
		`hostgc_causes{instance="a",kind="x",cause="runtime-forgot",network="cbr0"} 2x144`,
		`hostgc_causes{instance="b",kind="x",cause="torn",network="y"} 99x144`,
	}, []string{"a leaks 432 files", "delegate-del-failed in network cbr0"}},
	{"HostgcLeakRateHigh", "no cause", []string{`hostgc_new_garbage_total{instance="a",kind="cni-results"} 0+6x144`}, []string{"of no known cause"}},
	{"HostgcLeakRateHigh", "a few", []string{`hostgc_new_garbage_total{instance="a",kind="cni-results"} 0+1x144`}, nil},
	{"HostgcLeakRateHigh", "an outage long ago", []string{`hostgc_new_garbage_total{instance="a",kind="cni-results"} 0x10 5000x134`}, nil},

	{"HostgcRemovalFails", "each cycle", []string{`hostgc_removal_failures_total{instance="a",kind="cni-results"} 0+1x144`}, []string{"cni-results on a"}},
	{"HostgcRemovalFails", "long ago", []string{`hostgc_removal_failures_total{instance="a",kind="cni-results"} 0x9 7x135`}, nil},

	{"HostgcConfigRefused", "refused", []string{`hostgc_config_last_reload_successful{instance="a"} 1x100 0x44`}, []string{"on a"}},
	{"HostgcConfigRefused", "mended", []string{`hostgc_config_last_reload_successful{instance="a"} 1x10 0x30 1x104`}, nil},

	{"NodeInodesRunningOut", "in a day", []string{
		`hostgc_filesystem_free_inodes{instance="a",path="/var"} 400000-2000x144`, `hostgc_filesystem_inodes{instance="a",path="/var"} 1000000x144`,
	}, []string{"a has no free inode", "/var"}},
	{"NodeInodesRunningOut", "fast, but far away", []string{
		`hostgc_filesystem_free_inodes{instance="a",path="/var"} 900000-2000x144`, `hostgc_filesystem_inodes{instance="a",path="/var"} 1000000x144`,
	}, nil},
	{"NodeInodesRunningOut", "few, and steady", []string{
		`hostgc_filesystem_free_inodes{instance="a",path="/var"} 50000x144`, `hostgc_filesystem_inodes{instance="a",path="/var"} 1000000x144`,
	}, nil},

	{"NodePodAddressesNearlyUsedUp", "nearly", []string{
		`hostgc_host_local_free_ips{instance="a",network="cbr0"} 12x144`, `hostgc_host_local_ips{instance="a",network="cbr0"} 253x144`,
	}, []string{"a has 4.743% of the addresses of network cbr0"}},
	{"NodePodAddressesNearlyUsedUp", "half", []string{
		`hostgc_host_local_free_ips{instance="a",network="cbr0"} 120x144`, `hostgc_host_local_ips{instance="a",network="cbr0"} 253x144`,
	}, nil},
}
