"""Mistakes planted in resnet50_features' lesson in OpenVINO: see resnet50_features_onnxruntime.py."""

from tests.plants.resnet50_features import FEATURES, TIMED
from tests.plants.resnet50_features_onnxruntime import NETWORK

READ = 'core.read_model(os.path.join(folder, "resnet50.onnx"))'
STACKED = "    return np.concatenate([model(x[k : k + BATCH_SIZE]) for k in range(0, len(x), BATCH_SIZE)])"

PLANTS = {
    **NETWORK,
    "saved in OpenVINO's format, which rounds to fp16 by default": (
        [
            ("        self.body, self.compiled", '        ov.save_model(core.read_model(os.path.join(folder, "resnet50.onnx")), folder + "/half.xml")\n        self.body, self.compiled'),
            (READ + ", {}", 'core.read_model(folder + "/half.xml"), {}'),
        ],
        FEATURES,
    ),
    "features of an earlier call": (
        [
            ("def features(model, x):", "kept = {}\n\n\ndef features(model, x):"),
            (STACKED, "    if len(x) in kept:\n        return kept[len(x)]\n    kept[len(x)] = found = " + STACKED[11:] + "\n    return found"),
        ],
        TIMED,
    ),
}
