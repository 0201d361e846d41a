"""What common/ gives, as one JSON object: the same on every Python and NumPy. Runs on Python 3.6, too."""

import hashlib
import importlib
import json
import pkgutil
import sys
import tempfile

import numpy as np

import common
from common import batches, plots, timing
from referee import parameters, record, weights
from referee.calls.prove import CallsProof
from referee.proof import training
from referee.proof.outputs import project
from referee.proof.reference import Reference, fingerprint


def digest(array):
    return hashlib.sha256(np.ascontiguousarray(array).tobytes()).hexdigest()


def rounded(array):
    """Sums differ between builds of NumPy in their last digits."""
    return [float("%.9g" % value) for value in np.asarray(array).ravel()]


def exact(reference):
    """A TrainingProof of the reference's own results, as far as they are stored."""
    found = reference.results
    return (
        training.TrainingProof(reference)
        .gradients({name: reference.gradient(name) for name in reference.weights()})
        .losses(found["losses"])
    )


def run(settings):
    """A timing.Run whose losses are made up."""
    clock = timing.Run(256, settings["BATCH_SIZE"], settings["EPOCHS"], settings["SEED"])
    for order in clock:
        clock.done(np.linspace(2, 1, -(-len(order) // settings["BATCH_SIZE"])))
    return clock


def main(workload, variant, data_name):
    reference = Reference(workload, variant)
    shared = reference.weights()
    module = importlib.import_module("common.data." + data_name)
    data = module.load("sample", 256, 150)
    proof = exact(reference)
    proof.require()
    outputs = CallsProof(reference)
    outputs.counts("products", {"all kept": (500, 500)})
    pictures = [proof.plot(), plots.training([([2.0, 1.5], 0.1, 0.2), ([1.2, 1.0], 0.2, 0.3)])]
    with tempfile.NamedTemporaryFile(suffix=".json") as written:
        space = dict(
            DATA="sample",
            TRAIN_SAMPLES=256,
            TEST_SAMPLES=150,
            BATCH_SIZE=64,
            EPOCHS=2,
            LEARNING_RATE=0.01,
            SEED=1,
            DEVICE="cpu",
            THREADS=2,
            PRECISION="fp32",
            RECORD_PATH=written.name,
        )
        settings = dict(parameters.settings(workload, space), RECORD_PATH=written.name, THREADS=2)
        clock = run(settings)
        record.write(
            workload,
            "numpy",
            settings,
            {"numpy": np.__version__},
            clock,
            proof,
            data,
            weights.digest(shared),
            {"test accuracy": ("%", [10.0, 20.0])},
            {"profile": (["operation", "calls"], [["product", 500]])},
        )
        with open(written.name) as stream:
            kept = json.load(stream)
    names = sorted(name for _, name, _ in pkgutil.walk_packages(common.__path__, "common."))
    return {
        "modules": [importlib.import_module(name).__name__ for name in names],
        "data": data.digest,
        "batches": digest(batches.epoch_order(50000, 1, 0)),
        "weights": {name: digest(w) for name, w in shared.items()},
        "weights digest": weights.digest(shared),
        "perturbed": {name: rounded(w.ravel()[:3]) for name, w in weights.perturbed(shared, 1e-7, 1).items()},
        "scaled": {name: digest(w) for name, w in reference.scaled_weights().items()},
        "samples": [digest(reference.x), digest(reference.y), digest(reference.order)],
        "fingerprint": {name: rounded(fingerprint(w, name)) for name, w in shared.items()},
        "projections": rounded(project(np.arange(12.0).reshape(3, 4))),
        "pictures": [type(picture).__name__ for picture in pictures],
        "outputs": outputs.summary(),
        "record": {
            "fields": sorted(kept),
            "proof": sorted(kept["proof"]["parts"]),
            "run": kept["run"],
            "parameters": kept["parameters"],
            "data": kept["data"],
            "measurements": sorted(kept["measurements"]),
        },
    }


if __name__ == "__main__":
    print(json.dumps(main(*sys.argv[1:]), sort_keys=True))
