#!/usr/bin/env bash
# Every test. Runs rows through the runner first, as a user would: one of each framework of today, one in each environment of
# 2018. That also makes the environments that are not there. Then checks the code and runs the tests in the main one.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

./run_all.sh --precision fp32 --label tests \
    --row numpy pytorch-compiled tensorflow keras-torch jax \
    mxnet_gluon chainer cntk theano caffe2 caffe tensorflow1
python=$(ls -td .environments/main-cpu-*/bin/python | head -n 1)
"$python" -m ruff check .
"$python" -m pytest -q tests
