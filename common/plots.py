"""The pictures of the notebooks: each function returns a Picture, which Jupyter shows."""

import io

import numpy as np

INK, ACCENT, BOUND = "#1b3a57", "#d1603d", "#888888"


class Picture(object):
    """A drawn figure as PNG bytes (``png``), shown by any Jupyter front end and any version of matplotlib."""

    def __init__(self, png, description):
        self.png, self.description = png, description

    def _repr_png_(self):
        return self.png

    def __repr__(self):
        return "<picture: {}>".format(self.description)


def draw(width, height, columns, rows=1):
    """A figure of ``width`` x ``height`` inches and its axes, drawn without any window system."""
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    figure = Figure(figsize=(width, height))
    FigureCanvasAgg(figure)
    axes = [figure.add_subplot(rows, columns, k + 1) for k in range(rows * columns)]
    return figure, axes


def finish(figure, description):
    """Render ``figure`` at 80 dots per inch into a Picture."""
    figure.tight_layout()
    buffer = io.BytesIO()
    figure.savefig(buffer, format="png", dpi=80)
    return Picture(buffer.getvalue(), description)


def clean(axis, xlabel, ylabel, title):
    axis.set_xlabel(xlabel)
    axis.set_ylabel(ylabel)
    axis.set_title(title, fontsize=10)
    for side in ("top", "right"):
        axis.spines[side].set_visible(False)


def proof(result, gradient_bound):
    """Both halves of a Proof: gradient error per tensor, loss error per step, with their bounds."""
    figure, (left, right) = draw(9, 3.4, 2)
    names = list(result.gradient_errors)
    floor = 1e-9  # a logarithmic axis has no place for an error of exactly zero
    left.barh(range(len(names)), [max(result.gradient_errors[n], floor) for n in names], color=INK, left=floor / 10)
    left.set_yticks(range(len(names)))
    left.set_yticklabels(names, fontsize=7)
    left.invert_yaxis()
    left.axvline(gradient_bound, color=BOUND, linestyle="--")
    left.set_xscale("log")
    left.set_xlim(floor / 10, gradient_bound * 10)
    clean(left, "relative error (dashed: bound)", "", "gradients on the first samples, step 0")
    steps = np.arange(len(result.loss_errors))
    right.semilogy(steps, np.maximum(result.loss_errors, floor), "o-", color=INK, markersize=3, label="this notebook")
    if result.deviation is not None:
        right.semilogy(steps[:len(result.deviation)], np.maximum(result.deviation, floor), "s-", color=ACCENT,
                       markersize=3, label="reduced precision (no bound)")
    right.semilogy(steps, result.loss_bounds, "--", color=BOUND, label="bound")
    right.legend(fontsize=7, frameon=False, loc="lower right")
    clean(right, "step", "relative error", "loss against float64 NumPy")
    return finish(figure, "gradient and loss errors against the reference")


def loss_curve(losses, accuracies=()):
    """Training loss of every step, its running mean over 50 steps, and the test accuracy after each epoch."""
    losses = np.asarray(losses, np.float64)
    figure, (axis,) = draw(7, 3, 1)
    axis.plot(losses, color=INK, alpha=0.25, linewidth=0.7)
    window = max(1, min(50, len(losses) // 4))
    smooth = np.convolve(losses, np.ones(window) / window, mode="valid")
    axis.plot(np.arange(len(smooth)) + window - 1, smooth, color=INK, label="training loss, mean of {} steps".format(window))
    per_epoch = len(losses) / float(max(1, len(accuracies)))
    for number, accuracy in enumerate(accuracies):
        axis.axvline((number + 1) * per_epoch - 1, color=BOUND, linewidth=0.7)
        axis.annotate("{:.1%} ".format(accuracy), ((number + 1) * per_epoch - 1, losses.max()), ha="right", va="top",
                      color=ACCENT, fontsize=9)
    axis.legend(fontsize=8, frameon=False, loc="lower left")
    clean(axis, "step", "loss", "training loss; test accuracy at the end of each epoch" if len(accuracies)
          else "training loss")
    return finish(figure, "training loss by step")


def image_grid(images, predicted, true, classes):
    """Test images (N, C, H, W) in 0..1 with their predicted class; where it is wrong, the true one in brackets."""
    columns = 6
    rows = (len(images) + columns - 1) // columns
    figure, axes = draw(7.5, 1.4 * rows, columns, rows)
    for axis in axes:
        axis.axis("off")
    for axis, image, guess, truth in zip(axes, images, predicted, true):
        axis.imshow(np.transpose(image, (1, 2, 0)), interpolation="nearest")  # sharp, and small as a PNG
        right = guess == truth
        axis.set_title(classes[guess] if right else "{} ({})".format(classes[guess], classes[truth]), fontsize=7,
                       color=INK if right else ACCENT)
    return finish(figure, "test images with predicted and true classes")
