#!/bin/sh
# The published shape on one NVIDIA card, in bf16 and in int8: batches of 1, 4 and 8, with graphs and without. Some
# 12 GB of the card's memory and five minutes; no checkpoint is needed, the weights are random.
#
#     sh packaging/bench_gpu.sh [FOLDER for the tables, as JSON]
#
# It wants torch with CUDA: `python3 packaging/retake.py --cuda test` installs it, or set PYTHON to one that has it.
set -eu
cd "$(dirname "$0")/.."
python=${PYTHON:-.venv/bin/python}
out=${1:-.}
mkdir -p "$out"
for precision in bf16 int8; do
    echo "s2-pro, $precision"
    timeout 170 "$python" -m engine bench --shape s2-pro --device cuda --precision "$precision" --frames 32 \
        --batch 1 4 8 --graph on off --no-baseline --json | tee "$out/bench_$precision.json"
done
