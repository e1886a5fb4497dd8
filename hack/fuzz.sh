#!/usr/bin/env bash
# fuzz.sh TIME: runs every fuzz target of the module for TIME each. Go would spend
# most of that time on making its large seeds small, so that is cut short.
set -euo pipefail
cd "$(dirname "$0")/.."
grep -rlE '^func Fuzz' --include='*_test.go' . | grep -v '^./e2e/' | while read -r file; do
  for target in $(sed -nE 's/^func (Fuzz[A-Za-z0-9_]*)\(.*/\1/p' "$file"); do
    echo "== $(dirname "$file") $target"
    go test -run '^$' -fuzz "^$target\$" -fuzztime "$1" -fuzzminimizetime 20x "$(dirname "$file")"
  done
done
