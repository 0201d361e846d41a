"""pycaffe's example "01-learning-lenet", with the workload's network, its data in memory."""

import os
import tempfile

import numpy as np

from tests.bare.cnn_cifar10 import BATCH, IMAGES, LABELS


def bare(parameters):
    import caffe
    from caffe import layers as L
    from caffe import params as P

    filler = dict(type="xavier")
    n = caffe.NetSpec()
    n.data = L.Input(input_param=dict(shape=dict(dim=[BATCH, 3, 32, 32])))
    n.label = L.Input(input_param=dict(shape=dict(dim=[BATCH])))
    out = n.data
    for filters in (50, 100):
        a = L.Convolution(out, num_output=filters, kernel_size=3, pad=1, weight_filler=filler)
        b = L.Convolution(L.ReLU(a, in_place=True), num_output=filters, kernel_size=3, pad=1, weight_filler=filler)
        out = L.ReLU(L.Pooling(b, pool=P.Pooling.MAX, kernel_size=2, stride=2), in_place=True)
        out = L.Dropout(out, dropout_ratio=0.25, in_place=True)
    out = L.ReLU(L.InnerProduct(out, num_output=512, weight_filler=filler), in_place=True)
    n.score = L.InnerProduct(L.Dropout(out, dropout_ratio=0.5, in_place=True), num_output=10, weight_filler=filler)
    n.loss = L.SoftmaxWithLoss(n.score, n.label)
    with tempfile.TemporaryDirectory() as folder:
        net, solver = os.path.join(folder, "net.prototxt"), os.path.join(folder, "solver.prototxt")
        with open(net, "w") as file:
            file.write(str(n.to_proto()))
        with open(solver, "w") as file:
            file.write(f'train_net: "{net}" base_lr: 0.01 momentum: 0.9 lr_policy: "fixed" snapshot_after_train: false')
        solver = caffe.SGDSolver(solver)
    solver.net.blobs["data"].data[...] = IMAGES
    solver.net.blobs["label"].data[...] = np.asarray(LABELS, np.float32)
    return lambda: solver.step(1)
