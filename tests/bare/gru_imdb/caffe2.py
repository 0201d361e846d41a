"""Caffe2's recurrent layers in one net with build_adam; it shares the notebook's workspace under names of its own.

The net is made in the first step: a notebook's make_model empties the workspace.
"""

import numpy as np

from tests.bare.gru_imdb import LABELS, TOKENS


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
    from caffe2.python import brew, gru_cell, optimizer, workspace
    from caffe2.python.model_helper import ModelHelper
    from caffe2.python.modeling.initializers import Initializer

    workspace.FeedBlob("bare_tokens", TOKENS.T.ravel().astype(np.int32))
    workspace.FeedBlob("bare_label", LABELS.astype(np.int32))
    workspace.FeedBlob("bare_start", np.zeros(100, np.float32))
    model = ModelHelper("bare")
    table = model.create_param("bare_embedding", [30000, 125], Initializer("XavierFill"))
    model.net.Gather([table, "bare_tokens"], "bare_rows", dense_gradient=True)
    words, _ = model.net.Reshape("bare_rows", ["bare_words", "bare_shape"], shape=[150, -1, 125])
    _, last = gru_cell.GRU(
        model, words, None, ["bare_start"], dim_in=125, dim_out=100, scope="bare_gru",
        linear_before_reset=True, outputs_with_grads=(1,),
    )
    logits = brew.fc(model, model.net.Squeeze(last, "bare_state", dims=[0]), "bare_dense", 100, 2)
    _, loss = model.net.SoftmaxWithLoss([logits, "bare_label"], ["bare_softmax", "bare_loss"])
    model.AddGradientOperators([loss])
    optimizer.build_adam(model, 0.001)
    workspace.RunNetOnce(model.param_init_net)
    workspace.CreateNet(model.net)
    return model.net
