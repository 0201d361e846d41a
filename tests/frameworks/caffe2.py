"""Caffe2's tutorial "MNIST", with the workload's network; it shares the notebook's workspace under names of its own."""

import numpy as np

from tests.frameworks import IMAGES, LABELS, plants

PLANTS = plants((
    '"drop1", "conv3", 50, 100, kernel=3, pad=1)', '"drop1", "conv3", 50, 100, kernel=3, pad_t=0, pad_l=0, pad_b=2, pad_r=2)',
))
PASTED = """
model, test = make_model(dropout=(0, 0, 0))
x, y = np.random.rand(8, 3, 32, 32).astype(np.float32), np.arange(8, dtype=np.int32)
values = [train_step(model, x, y) for _ in range(20)]
"""
STEP = """
_model, _ = load_weights(make_model())
def step():
    i = next(_order)
    return train_step(_model, x_train[i], y_train[i])
"""


def bare(parameters):
    from caffe2.python import brew, model_helper, optimizer, workspace

    workspace.FeedBlob("bare_data", IMAGES)
    workspace.FeedBlob("bare_label", LABELS.astype(np.int32))
    model = model_helper.ModelHelper(name="bare", arg_scope={"order": "NCHW"})
    out, channels = "bare_data", 3
    for n, filters in enumerate((50, 100)):
        out = brew.relu(model, *[brew.conv(model, out, f"bare_a{n}", channels, filters, kernel=3, pad=1)] * 2)
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

    def step():
        workspace.RunNet(model.net)
        return float(workspace.FetchBlob("bare_loss"))

    return step
