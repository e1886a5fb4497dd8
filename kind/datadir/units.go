package datadir

import (
	"context"
)

// startup are the references in what starts programs: systemd units, generators'
// output and environment files, the distributions' own configuration, cron,
// and the profiles of shells, into which public guides write a PATH that leads
// to the version of that day. Homes other than root's are left out: they can be
// on a network, closed to root, and what is in them no pod needs.
func startup(ctx context.Context, s *search) (string, error) {
	x := &texts{search: s, source: "units", what: "the file",
		cure: "let it name /var/lib/rancher/…/bin, which is always current"}
	x.each = s.noteDataDirs
	err := x.all(ctx,
		"etc/systemd/system", "run/systemd/system", "run/systemd/generator", "run/systemd/transient",
		"usr/local/lib/systemd/system", "usr/lib/systemd/system", "opt/rke2/lib/systemd/system",
		"etc/default", "etc/sysconfig", "etc/rancher/*/config.yaml", "etc/rancher/*/config.yaml.d",
		"etc/rancher/*/*.env", "etc/crontab", "etc/cron.*", "var/spool/cron",
		"etc/environment", "etc/profile", "etc/profile.d", "etc/bash.bashrc", "etc/bashrc",
		"root/.bashrc", "root/.profile", "root/.bash_profile", "root/.zshrc", "etc/sudoers", "etc/sudoers.d",
	)
	return count(x.count, "file"), err
}
