"""OpenVINO's own way: PyTorch's module converted without a file, its shape fixed, an infer request in fp32."""

from tests.bare.resnet50_features import IMAGES
from tests.bare.resnet50_features.pytorch import network


def bare(parameters):
    import openvino as ov
    import torch
    from openvino.properties import hint

    converted = ov.convert_model(network(), example_input=torch.from_numpy(IMAGES), input=list(IMAGES.shape))
    config = {hint.inference_precision: ov.Type.f32, hint.performance_mode: hint.PerformanceMode.LATENCY}
    request = ov.Core().compile_model(converted, "CPU", config).create_infer_request()
    return lambda: request.infer([IMAGES], share_inputs=True)
