"""Caffe2's tutorial "MNIST", with the workload's network; it shares the notebook's workspace under names of its own.

The nets are made in the first step: a notebook's make_model empties the workspace.
"""

import numpy as np

from tests.bare.cnn_cifar10 import IMAGES, LABELS


def bare(parameters):
    nets = []

    def step():
        from caffe2.python import workspace

        if not nets:
            nets.append(made())
        workspace.RunNet(nets[0])
        return float(workspace.FetchBlob("bare_loss"))

    return step


def made():
    """The training net, created, with its blobs."""
    from caffe2.python import brew, model_helper, optimizer, workspace

    workspace.FeedBlob("bare_data", IMAGES)
    workspace.FeedBlob("bare_label", LABELS.astype(np.int32))
    model = model_helper.ModelHelper(name="bare", arg_scope={"order": "NCHW"})
    out, channels = "bare_data", 3
    for n, filters in enumerate((50, 100)):
        first = {"no_gradient_to_input": 1} if n == 0 else {}
        out = brew.conv(model, out, f"bare_a{n}", channels, filters, kernel=3, pad=1, **first)
        out = brew.relu(model, out, out)
        out = brew.conv(model, out, f"bare_b{n}", filters, filters, kernel=3, pad=1)
        out = brew.max_pool(model, out, f"bare_pool{n}", kernel=2, stride=2)
        out = brew.dropout(model, brew.relu(model, out, f"bare_relu{n}"), f"bare_drop{n}", ratio=0.25, is_test=False)
        channels = filters
    out = brew.fc(model, out, "bare_fc1", 6400, 512)
    out = brew.dropout(model, brew.relu(model, out, out), "bare_drop2", ratio=0.5, is_test=False)
    out = brew.fc(model, out, "bare_fc2", 512, 10)
    _, loss = model.net.SoftmaxWithLoss([out, "bare_label"], ["bare_softmax", "bare_loss"])
    model.AddGradientOperators([loss])
    optimizer.build_sgd(model, base_learning_rate=0.01, policy="fixed", momentum=0.9, nesterov=0)
    workspace.RunNetOnce(model.param_init_net)
    workspace.CreateNet(model.net)
    return model.net
