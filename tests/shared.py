"""What common/ gives, as one JSON object: the same on every Python and NumPy. Runs in any environment, Python 3.6 too."""

import hashlib
import json
import sys
import tempfile

import numpy as np

from common import batches, datasets, parameters, plots, record, timing
from common.reference import Reference


def digest(array):
    return hashlib.sha256(np.ascontiguousarray(array).tobytes()).hexdigest()


def main(workload):
    data = datasets.cifar10("sample", 256, 150)
    reference = Reference(workload)
    weights = reference.weights()
    gradients = {name: reference.gradient(name) for name in weights}
    proof = reference.check(gradients, reference.losses)
    proof.require()
    timer = timing.Timer()
    for name in ("import", "data", "first step"):
        timer.add(name, 1.0)
    for epoch in range(2):
        for _ in timer.epoch(batches.batch_indices(256, 64, 1, epoch)):
            pass
        with timer.phase("evaluate"):
            pass
    pictures = [proof.plot(), plots.loss_curve(np.linspace(2, 1, 100), [0.1, 0.2, 0.3]),
                plots.image_grid(data.x_test[:18], data.y_test[:18], data.y_test[:18], data.classes)]
    with tempfile.NamedTemporaryFile(suffix=".json") as written:
        space = dict(DATA="sample", TRAIN_SAMPLES=256, TEST_SAMPLES=150, BATCH_SIZE=64, EPOCHS=2, LEARNING_RATE=0.01, MOMENTUM=0.9,
                     SEED=1, DEVICE="cpu", THREADS=2, PRECISION="fp32", RECORD_PATH=written.name)
        settings = parameters.settings(space)
        record.make_record(workload, "numpy", settings, data, timer, proof, {"numpy": np.__version__}, flops_per_sample=1e6,
                           metrics={"test_accuracy": [0.1, 0.2]})
        with open(written.name) as stream:
            kept = json.load(stream)
    return {
        "data": data.digest,
        "batches": digest(np.concatenate(list(batches.batch_indices(50000, 64, 1, 0)))),
        "weights": {name: digest(w) for name, w in weights.items()},
        "proof": [digest(reference.x), digest(reference.losses), digest(reference.loss_bounds)],
        "pictures": [type(picture).__name__ for picture in pictures],
        "record": {"fields": sorted(kept), "proof": kept["proof"], "parameters": kept["parameters"], "data": kept["data"]},
    }


if __name__ == "__main__":
    print(json.dumps(main(sys.argv[1]), sort_keys=True))
