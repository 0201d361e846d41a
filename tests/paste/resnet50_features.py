DATA = """
photos = np.random.RandomState(0).randint(0, 256, (3, 224, 224, 3)).astype(np.uint8)
"""
MXNET = "mx.nd.NDArray.__float__ = lambda value: float(value.asscalar())  # MXNet's arrays have none"
FRAMEWORKS = {
    "numpy": "",
    "pytorch": "",
    "tensorflow": "",
    "tensorflow1": "",
    "keras": "",
    "keras2": "",
    "jax": "",
    "onnxruntime": "",
    "openvino": "",
    "mxnet_gluon": MXNET,
    "mxnet_module": MXNET,
    "chainer": "",
    "caffe2": "",
    "caffe": "",
    "cntk": "",
}
CALL = """
model = make_model()
found = features(model, preprocess(photos))
values = [float(v) for v in found[0]]
scores = [float(v) for v in logits(model, found)[0]]
share = sum(score > 0 for score in scores) / 1000
"""
