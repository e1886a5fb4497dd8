#!/usr/bin/env bash
# cover.sh: fails where a statement of the pure core or of a kind is not run by
# its tests.
set -euo pipefail
cd "$(dirname "$0")/.."
profile=$(mktemp)
trap 'rm -f "$profile"' EXIT
packages=". $(go list ./kind/... | grep -vE "/kind/(datadir|rke2data|k3sdata)(/|$)" | sed "s,github.com/hostgc/hostgc,.,")"
# shellcheck disable=SC2086 # a list of packages
go test -coverpkg="$(go list $packages | paste -sd,)" -coverprofile="$profile" $packages
if missing=$(go tool cover -func="$profile" | grep -v '100.0%'); then
  echo "not covered:"; echo "$missing"
  exit 1
fi
echo "the pure core and the kinds are covered completely"
