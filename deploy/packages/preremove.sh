#!/bin/sh
set -e
[ -d /run/systemd/system ] || exit 0
# dpkg gives "remove" or "upgrade", rpm "0" or "1".
case "$1" in
  remove | 0) systemctl disable --now hostgc.service hostgc-sweep.timer ;;
esac
