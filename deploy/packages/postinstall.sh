#!/bin/sh
# Nothing is started: that hostgc removes files is for the administrator to say.
set -e
[ -d /run/systemd/system ] || exit 0
systemctl daemon-reload
# An upgrade restarts what ran. dpkg gives "configure" and the old version, rpm "2".
case "$1 $2" in
  "configure "?* | "2 "*) systemctl try-restart hostgc.service ;;
esac
