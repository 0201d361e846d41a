"""ONNX Runtime's own way: a session with its default options on an exported file, whose batch size is fixed.

The network is that of PyTorch's bare script, exported by the old exporter.
"""

import os
import tempfile
import warnings

from tests.bare.resnet50_features import IMAGES
from tests.bare.resnet50_features.pytorch import network


def bare(parameters):
    import onnxruntime as ort
    import torch

    with tempfile.TemporaryDirectory() as folder, warnings.catch_warnings():
        warnings.simplefilter("ignore")
        path = os.path.join(folder, "net.onnx")
        torch.onnx.export(network(), (torch.from_numpy(IMAGES),), path, input_names=["input"], dynamo=False)
        session = ort.InferenceSession(path, providers=["CPUExecutionProvider"])
    return lambda: session.run(None, {"input": IMAGES})
