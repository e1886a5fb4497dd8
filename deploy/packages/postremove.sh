#!/bin/sh
# A removed package leaves its configuration and /var/lib/hostgc; a purge none.
set -e
if [ "$1" = purge ]; then
  rm -f /var/lib/hostgc/state.json /var/lib/hostgc/state.json.new
  rmdir /var/lib/hostgc 2>/dev/null || true
fi
[ -d /run/systemd/system ] || exit 0
systemctl daemon-reload
