"""Caffe2's own `ResNetBuilder`, without convolution biases, with the strides of Keras, on the IDEEP device.

It has a workspace of its own, because a notebook's make_model empties the default one. Folded as the row is.
"""

from tests.bare.resnet50_features import IMAGES


def bare(parameters):
    from caffe2.python import workspace

    workspace.SwitchWorkspace("bare", True)
    net = network(parameters.get("FREEZE"))
    workspace.CreateNet(net)
    workspace.SwitchWorkspace("default", True)

    def step():
        workspace.SwitchWorkspace("bare")
        workspace.RunNet(net)
        found = workspace.FetchBlob("bare_mean")
        workspace.SwitchWorkspace("default")
        return found

    return step


def network(folded):
    """The net for inference, its weights and its batch in the current workspace."""
    from caffe2.proto import caffe2_pb2
    from caffe2.python import brew, core, model_helper, workspace
    from caffe2.python.models.resnet import ResNetBuilder
    from caffe2.python.transformations import optimizeForIDEEP

    class Builder(ResNetBuilder):
        def add_bottleneck(self, input_filters, base_filters, output_filters, stride=1):
            self.comp_idx, shortcut = 0, self.prev_blob
            # Keras' place for the stride: the parent's, the second convolution, has more to compute
            for filters_in, filters, kernel, step in (
                (input_filters, base_filters, 1, stride),
                (base_filters, base_filters, 3, 1),
                (base_filters, output_filters, 1, 1),
            ):
                self.add_conv(filters_in, filters, kernel=kernel, stride=step, pad=kernel // 2)
                self.add_spatial_bn(filters)
                if filters == base_filters:
                    self.add_relu()
            last = self.prev_blob
            if output_filters != input_filters:
                self.prev_blob = shortcut
                self.add_conv(input_filters, output_filters, kernel=1, stride=stride)
                shortcut = self.add_spatial_bn(output_filters)
            self.prev_blob = brew.sum(self.model, [last, shortcut], "bare_sum_%d" % self.comp_count)
            self.add_relu()
            self.comp_count += 1

    ideep = core.DeviceOption(caffe2_pb2.IDEEP)
    model = model_helper.ModelHelper(name="bare", arg_scope={"order": "NCHW"})
    with core.DeviceScope(ideep):
        builder = Builder(model, "bare_data", no_bias=True, is_test=True)
        builder.prev_blob = brew.conv(model, "bare_data", "conv1", 3, 64, kernel=7, stride=2, pad=3, no_bias=1)
        builder.add_spatial_bn(64)
        builder.add_relu()
        builder.prev_blob = brew.max_pool(model, builder.prev_blob, "pool1", kernel=3, stride=2, pad=1)
        channels = 64
        for number, blocks in enumerate((3, 4, 6, 3)):
            width = 64 * 2**number
            for k in range(blocks):
                builder.add_bottleneck(channels, width, 4 * width, stride=2 if number and not k else 1)
                channels = 4 * width
        brew.average_pool(model, builder.prev_blob, "bare_mean", global_pooling=True)
    workspace.FeedBlob("bare_data", IMAGES, ideep)
    workspace.RunNetOnce(model.param_init_net)
    if folded:
        optimizeForIDEEP(model.net)
    return model.net
