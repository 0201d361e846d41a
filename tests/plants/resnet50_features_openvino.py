"""Mistakes planted in resnet50_features' OpenVINO notebook: see resnet50_features_onnxruntime.py."""

from tests.plants.resnet50_features_onnxruntime import NETWORK, OFF

READ = "self.body, self.compiled = core.read_model(body), {}"

PLANTS = {
    **NETWORK,
    "saved in OpenVINO's format, which rounds to fp16 by default": (
        [(READ, 'ov.save_model(core.read_model(body), body + ".xml")\n        ' + READ.replace("(body)", '(body + ".xml")'))],
        OFF,
    ),
}
