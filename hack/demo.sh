#!/usr/bin/env bash
# demo.sh: hostgc at work on a copy of a recorded real node. It needs no root,
# no cluster and no network, and touches nothing but a temporary directory.
set -euo pipefail
cd "$(dirname "$0")/.."

node=${1:-killed-all}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
tar -xzf "testdata/nodes/$node.tar.gz" -C "$work"
cd "$work/$node"

# The copy was unpacked a moment ago, so it is judged as if in three hours: by
# then it is older than the minimum age of two.
now=$(date -u -d '+3 hours' +%Y-%m-%dT%H:%M:%SZ)
here=("--root=root" "--crictl-pods=crictl-pods.json" "--crictl-containers=crictl-containers.json"
  "--kubectl-pods=kubectl-pods.json" "--now=$now")
hostgc="$OLDPWD/bin/hostgc"

say() { printf '\n\033[1m=== %s\033[0m\n\n' "$*"; }
files() { find root/var/lib/cni -type f | wc -l; }

say "A node recorded after everything on it was killed and the runtime's state was lost."
echo "$(files) files of CNI state; the runtime lists $(grep -c SANDBOX_ crictl-pods.json) sandboxes."

say "hostgc scan: what is garbage here, and why?"
"$hostgc" scan "${here[@]}"

"$hostgc" scan "${here[@]}" -o jsonl --kinds multus-results > verdicts.jsonl
first() { grep "\"verdict\":\"$1\"" verdicts.jsonl | sed -n '1s/.*"path":"\([^"]*\)".*/\1/p'; }

say "hostgc explain: why is this one garbage?"
"$hostgc" explain "${here[@]}" "$(first garbage)"

say "hostgc explain: why is that one kept?"
"$hostgc" explain "${here[@]}" "$(first live)"

say "With an empty list from the runtime nothing is removed, and hostgc says why."
cp crictl-pods.json crictl-pods.json.kept
echo '{"items": []}' > crictl-pods.json
before=$(files)
"$hostgc" sweep "${here[@]}" --settle 0s --log-level warn && code=0 || code=$?
echo "exit code $code; $(files) of $before files are left"
mv crictl-pods.json.kept crictl-pods.json

say "hostgc sweep: two looks, then what was garbage both times goes."
"$hostgc" sweep "${here[@]}" --settle 1s --log-level warn
echo "$(files) of $before files are left"
