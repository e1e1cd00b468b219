#!/bin/sh
# The product beside a hand-written loop, in the peers' harness: CPU per run, wall, memory.
#
#   sh benchmarks/peers.sh                    # HARNESS=../shared/bench, three rounds
#   sh benchmarks/peers.sh --rounds 5 --scenarios k1,k5
#
# HARNESS is the folder of the comparison harness (compare.py, run_peer.py, mock_server.py). It is
# copied to .bench, with our peer file beside its own; both peers run in the project's .venv.
set -eu
cd "$(dirname "$0")/.."
harness=${HARNESS:-../shared/bench}
[ -f "$harness/compare.py" ] || {
    echo "No harness in $harness: name its folder, HARNESS=/path/to/bench sh benchmarks/peers.sh" >&2
    exit 1
}
mkdir -p .bench/venvs
cp -R "$harness"/. .bench/
chmod -R u+w .bench
cp benchmarks/peers/pointsman.py .bench/peers/
for peer in aiohttp pointsman; do ln -sfn "$PWD/.venv" ".bench/venvs/$peer"; done
[ -x .bench/venvs/server/bin/python ] || {
    .venv/bin/python -m venv .bench/venvs/server
    .bench/venvs/server/bin/pip install -q orjson uvloop
}
H5="$PWD/.bench" exec .bench/venvs/server/bin/python .bench/compare.py \
    --peers raw_aiohttp,pointsman --out .bench/results.jsonl "$@"
