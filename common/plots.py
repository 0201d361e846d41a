"""The pictures of the notebooks: each function returns a Picture, which Jupyter shows."""

import io

import numpy as np

INK, ACCENT, BOUND = "#1b3a57", "#d1603d", "#888888"
# of relative errors in float32 and in float64, the same in every notebook, so that pictures can be compared; an error
# of exactly zero is drawn at the lower limit, as a logarithmic axis has no place for it
LIMITS = ((1e-9, 1e-2), (1e-17, 1e-8))


class Picture(object):
    """A drawn figure as PNG bytes (``png``) with its alternative text (``description``)."""

    def __init__(self, png, description):
        self.png, self.description = png, description

    def _repr_png_(self):
        return self.png

    def __repr__(self):  # the text beside the picture in the notebook's file
        return self.description


def draw(width, height, columns, rows=1):
    """A figure of ``width`` x ``height`` inches and its axes, drawn without any window system."""
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    figure = FigureCanvasAgg(Figure(figsize=(width, height))).figure
    axes = [figure.add_subplot(rows, columns, k + 1) for k in range(rows * columns)]
    return figure, axes


def finish(figure, description, dpi=110, colours=64):
    """Render ``figure`` into a Picture; a palette of so many ``colours`` keeps the notebook small."""
    from PIL import Image  # comes with every matplotlib since 3.3

    figure.tight_layout()
    drawn, small = io.BytesIO(), io.BytesIO()
    figure.savefig(drawn, format="png", dpi=dpi)
    Image.open(drawn).convert("RGB").quantize(colours).save(small, format="png", optimize=True)
    return Picture(small.getvalue(), description)


def clean(axis, xlabel, ylabel, title):
    """Label ``axis`` and take two of its four borders away."""
    axis.set_xlabel(xlabel, fontsize=8)
    axis.set_ylabel(ylabel, fontsize=8)
    axis.set_title(title, fontsize=9)
    axis.tick_params(labelsize=7)
    for side in ("top", "right"):
        axis.spines[side].set_visible(False)


def _limits(bounds):
    """Lowest and highest error of an axis, chosen by the largest bound."""
    return LIMITS[1] if max(bounds) < LIMITS[0][0] else LIMITS[0]


def _dots(axis, errors, bounds, title):
    """Errors, {name: error}, as dots beside their bounds, one row a name, on a logarithmic axis."""
    rows, (low, high) = np.arange(len(errors)), _limits(bounds)
    axis.semilogx(np.maximum(list(errors.values()), low), rows, "o", color=INK, markersize=4)
    axis.semilogx(bounds, rows, "|", color=BOUND, markersize=9, markeredgewidth=2)
    axis.set_yticks(rows)
    axis.set_yticklabels(list(errors))
    axis.invert_yaxis()
    axis.set_xlim(low, high)
    clean(axis, "relative error (grey: bound)", "", title)


def proof(result):
    """Gradients, losses and change of a TrainingProof, as far as it has them: a Picture."""
    panels = [name for name in ("gradients", "losses", "change") if name in result.parts]
    count = len(panels) + ("losses" in panels)
    figure, axes = draw(3.1 * count + 0.6, 3.0, count)
    axes = iter(axes)
    if "gradients" in panels:
        bounds = [result.gradient_bound] * len(result.gradient_errors)
        _dots(next(axes), result.gradient_errors, bounds, "gradients, step 0")
    if "losses" in panels:
        steps, axis = np.arange(len(result.ours)), next(axes)
        axis.plot(steps, result.reference.results["losses"], color=BOUND, label="reference")
        axis.plot(steps, result.ours, "o", color=INK, markersize=3, label="this notebook")
        axis.legend(fontsize=7, frameon=False)
        clean(axis, "step", "loss", "losses")
        axis = next(axes)
        low, high = _limits(result.loss_bounds)
        axis.semilogy(steps, np.maximum(result.loss_errors, low), "o", color=INK, markersize=3)
        axis.semilogy(steps, result.loss_bounds, "-", color=BOUND)
        if result.deviation is not None:
            off = np.maximum(result.deviation, low)
            axis.semilogy(steps[: len(off)], off, "s", color=ACCENT, markersize=3)
        axis.set_ylim(low, high)
        clean(axis, "step (grey: bound)", "relative error", "errors of the losses")
    if "change" in panels:
        _dots(next(axes), result.change_errors, list(result.change_bounds.values()), "two steps' change")
    return finish(figure, "Errors of " + ", ".join(panels) + " beside their bounds", colours=32)


def outputs(result):
    """Errors of every sample of an OutputsProof, one panel for each output: a Picture."""
    figure, axes = draw(3.4 * len(result.errors) + 0.4, 2.6, len(result.errors))
    for axis, (name, errors) in zip(axes, result.errors.items()):
        bound = result.parts[name]["bound"]
        low, high = _limits([bound])
        axis.semilogy(np.maximum(errors, low), ".", color=INK, markersize=3)
        axis.axhline(bound, color=BOUND)
        axis.set_ylim(low, high)
        clean(axis, "sample (grey: bound)", "relative error", name)
    return finish(figure, "Errors of every sample of " + ", ".join(result.errors) + " beside the bound", colours=32)


def training(history):
    """The training loss, and the training and test accuracy after each epoch: a Picture of two panels.

    ``history``: a list of (losses, training accuracy, test accuracy), one for each epoch, with one loss for each
    mini-batch and accuracies from 0 to 1; or Keras' ``History.history``, which has one loss for each epoch.
    """
    if isinstance(history, dict):
        test = [history[name] for name in ("val_accuracy", "val_acc") if name in history]
        train = [history[name] for name in ("accuracy", "acc") if name in history]
        history = list(zip(history["loss"], train[0], test[0]))
    losses = np.concatenate([np.asarray(one, np.float64).ravel() for one, _, _ in history])
    figure, (left, right) = draw(7.5, 2.8, 2)
    ends, count = np.arange(1, len(history) + 1), len(losses)
    window = max(1, min(50, count // (4 * len(history))))
    smooth = np.convolve(losses, np.ones(window) / window, mode="valid")
    at = (np.arange(len(smooth)) + window) * len(history) / float(count)
    by_epoch = count <= len(history)  # one loss for each: nothing lies between
    left.plot(at, smooth, "o-" if by_epoch else "-", color=INK, markersize=4, linewidth=1)
    left.set_ylim(0, np.ceil(2 * losses[0]) / 2)
    clean(left, "epoch", "", "training loss" + (", mean of {} steps".format(window) if window > 1 else ""))
    for number, label, color in ((1, "training", BOUND), (2, "test", ACCENT)):
        right.plot(ends, [100 * one[number] for one in history], "o-", color=color, markersize=4, label=label)
    right.set_ylim(0, 100)
    ticks = ends if len(ends) <= 12 else ends[:: -(-len(ends) // 10)]
    right.set_xticks(ticks)
    if by_epoch:
        left.set_xticks(ticks)
    right.legend(fontsize=8, frameon=False, loc="lower right")
    clean(right, "epoch", "", "right answers, %")
    return finish(figure, "Training loss, and training and test accuracy after each epoch", colours=32)


def text(history):
    """Bits per byte: of the training text in each step, and of the held-out text after each epoch: a Picture.

    ``history``: a list of (losses in nats, bits per byte of the held-out text), one for each epoch; or Keras'
    ``History.history``, which has one loss for each epoch.
    """
    if isinstance(history, dict):
        history = [(loss, value / np.log(2)) for loss, value in zip(history["loss"], history["val_loss"])]
    bits = np.concatenate([np.asarray(losses, np.float64).ravel() for losses, _ in history]) / np.log(2)
    figure, (axis,) = draw(6, 3, 1)
    at, ends = np.arange(1, len(bits) + 1) * len(history) / float(len(bits)), np.arange(1, len(history) + 1)
    style, label = ("-", "training text, by step") if len(bits) > len(history) else ("o-", "training text")
    axis.plot(at, bits, style, color=BOUND, linewidth=0.8, markersize=4, label=label)
    axis.plot(ends, [one for _, one in history], "o-", color=ACCENT, markersize=5, label="held-out text")
    axis.set_ylim(0, 8)
    axis.set_xticks(ends if len(ends) <= 12 else ends[:: -(-len(ends) // 10)])
    axis.legend(fontsize=8, frameon=False, loc="upper right")
    clean(axis, "epoch", "", "bits per byte")
    return finish(figure, "Bits per byte of the training text and of the held-out text", colours=32)


def attention(weights, characters, title=""):
    """How much each character of a line (across) attends to itself and those before it (down): a Picture.

    ``weights`` (T, T): rows that sum to 1; ``characters``: T of them, a text or bytes.
    """
    if isinstance(characters, bytes):
        characters = characters.decode("latin-1")
    weights, count = np.asarray(weights, np.float64), len(characters)
    figure, (axis,) = draw(max(3.4, 1.2 + 0.13 * count), max(3.2, 1.0 + 0.13 * count), 1)
    axis.imshow(weights.T, cmap="Blues", vmin=0, vmax=1, interpolation="nearest")
    names = [one if one.isprintable() and one != " " else {" ": "␣", "\n": "↵"}.get(one, "·") for one in characters]
    for set_ticks, set_names in ((axis.set_xticks, axis.set_xticklabels), (axis.set_yticks, axis.set_yticklabels)):
        set_ticks(range(count))
        set_names(names)
    clean(axis, "reading this character ...", "... looks at this one", title)
    axis.tick_params(labelsize=6, length=0)
    return finish(figure, "The attention weights of one head over a line of text", colours=32)


def gru_cell():
    """One step of a GRU, with the reset gate behind the product of the state: a Picture."""
    figure, (axis,) = draw(7.2, 3.1, 1)
    state, word = {"color": INK, "linewidth": 1.2}, {"color": BOUND, "linewidth": 1.2}
    arrow = {"arrowstyle": "-|>", "mutation_scale": 9, "shrinkA": 0, "shrinkB": 0}

    def line(points, **style):  # through the points, an arrow at the end
        xs, ys = zip(*points)
        axis.plot(xs, ys, solid_capstyle="round", **style)
        axis.annotate("", points[-1], points[-2], arrowprops=dict(arrow, **style))

    line([(0.4, 4), (7.7, 4)], **state)
    line([(8.1, 4), (8.8, 4)], **state)
    line([(9.2, 4), (10.3, 4)], **state)
    axis.plot([1, 1, 7.65], [4, 1.1, 1.1], **state)
    axis.plot([0.4, 8.05], [0.5, 0.5], **word)
    for x in (2.2, 4.1, 7.8):
        line([(x - 0.15 * (x != 4.1), 1.1), (x - 0.15 * (x != 4.1), 1.93)], **state)
    for x in (2.2, 6.2, 7.9):
        line([(x + 0.15, 0.5), (x + 0.15, 1.93)], **word)
    line([(2.2, 2.47), (2.2, 3.2), (3.9, 3.2)], **state)
    line([(4.1, 2.47), (4.1, 3.0)], **state)
    line([(4.3, 3.2), (5.1, 3.2), (5.1, 2.2), (5.58, 2.2)], **state)
    line([(6.2, 2.47), (6.2, 3.2), (7.7, 3.2)], **state)
    line([(7.9, 2.47), (7.9, 3.0)], color=ACCENT, linewidth=1.2)
    line([(7.9, 3.4), (7.9, 3.8)], color=ACCENT, linewidth=1.2)
    line([(8.1, 3.2), (9, 3.2), (9, 3.8)], **state)
    boxes = (
        (2.2, "reset gate\nr = σ(…)"),
        (4.1, "product\nW$_{hn}$h + b$_{hn}$"),
        (6.2, "candidate\nn = tanh(…)"),
        (7.9, "update gate\nz = σ(…)"),
    )
    for x, text in boxes:
        style = {"boxstyle": "round,pad=0.35", "facecolor": "white", "edgecolor": ACCENT if "z" in text else INK}
        axis.text(x, 2.2, text, ha="center", va="center", fontsize=7.5, bbox=style)
    for x, y, text in ((4.1, 3.2, "×"), (7.9, 3.2, "×"), (7.9, 4, "×"), (9, 4, "+")):
        axis.plot([x], [y], "o", color="white", markersize=15, markeredgecolor=INK)
        axis.text(x, y - 0.02, text, ha="center", va="center", fontsize=11)
    labels = ((0.3, 4, "right", "state h"), (10.4, 4, "left", "new h"), (0.3, 0.5, "right", "word x"))
    for x, y, side, text in labels + (
        (3.05, 3.38, "center", "r"),
        (7.75, 3.6, "right", "z"),
        (8.15, 3.45, "left", "1 − z"),
    ):
        axis.text(x, y, text, ha=side, va="center", fontsize=8)
    axis.set_xlim(-0.8, 11.3)
    axis.set_ylim(0.2, 4.5)
    axis.axis("off")
    return finish(
        figure,
        "A GRU cell: the reset gate scales the state's share of the candidate; the update gate mixes "
        "candidate and state",
    )


def reading(words, probabilities, title=""):
    """The probability of "positive" after each of the ``words`` of a review: a Picture."""
    figure, (axis,) = draw(max(4.0, min(9.0, 1.2 + 0.2 * len(words))), 3.0, 1)
    at, values = np.arange(len(words)), np.asarray(probabilities, np.float64)
    axis.axhline(0.5, color=BOUND, linewidth=0.7)
    axis.plot(at, values, color=BOUND, linewidth=0.7)
    for side, color in ((values > 0.5, ACCENT), (values <= 0.5, INK)):
        axis.plot(at[side], values[side], "o", color=color, markersize=4)
    axis.set_xticks(at)
    axis.set_xticklabels(words, rotation=90)
    axis.set_ylim(-0.03, 1.03)
    clean(axis, "", 'probability of "positive"', title)
    return finish(figure, "The probability of positive after each word of a review", colours=32)


def findings(history, truth, probabilities, classes):
    """Losses and mean area under the ROC curves by epoch, and the curves of the best and the worst finding: a Picture.

    ``history``: a list of (losses, {finding: area}), one for each epoch. ``truth``, ``probabilities``: (N, classes).
    """
    figure, (left, middle, right) = draw(8.4, 3.1, 3)
    losses = [np.asarray(losses, np.float64).ravel() for losses, _ in history]
    at = np.concatenate([number + np.arange(1, len(one) + 1) / len(one) for number, one in enumerate(losses)])
    ends, areas = np.arange(1, len(history) + 1), history[-1][1]
    if len(at) > len(history):
        left.plot(at, np.concatenate(losses), color=BOUND, linewidth=0.5)
    left.plot(ends, [one.mean() for one in losses], "o-", color=INK, markersize=4, linewidth=1)
    left.set_ylim(0, 1)
    left.set_xticks(ends)
    clean(left, "epoch (grey: mini-batches)" if len(at) > len(history) else "epoch", "", "training loss")
    middle.plot(ends, [np.mean(list(one.values())) for _, one in history], "o-", color=ACCENT, markersize=4)
    middle.axhline(0.5, color=BOUND, linewidth=0.7)
    middle.set_ylim(0.4, 1)
    middle.set_xticks(ends)
    clean(middle, "epoch (grey: guessing)", "", "mean AUC, held-out images")
    for name, color in ((max(areas, key=areas.get), ACCENT), (min(areas, key=areas.get), INK)):
        column = list(classes).index(name)
        order = np.argsort(-np.asarray(probabilities)[:, column], kind="stable")
        positive = np.asarray(truth)[order, column] > 0.5
        hit, alarm = [np.append(0, np.cumsum(one)) / one.sum() for one in (positive, ~positive)]
        label = "{} ({}), {:.2f}".format(name.replace("_", " "), positive.sum(), areas[name])
        right.plot(alarm, hit, color=color, linewidth=1, label=label)
    right.plot([0, 1], [0, 1], color=BOUND, linewidth=0.7)
    right.legend(fontsize=7, frameon=False, loc="lower right")
    clean(right, "false positive rate", "true positive rate", "best and worst finding (images)")
    return finish(
        figure, "Training loss, mean AUC by epoch, and the ROC curves of the best and the worst finding", colours=32
    )


def profile(times):
    """Where the time goes: one bar for each kind of work, the longest on top, with its share of the whole: a Picture.

    ``times``: {kind: time}, in any unit; or {form: {kind: time}} of several programs, each of which gets a panel. Kinds
    that take less than half a percent everywhere are added up as "other". Raises ValueError for a profile of nothing.
    """
    if not times:
        raise ValueError("the profile is empty: no kind of work has a time")
    forms = times if isinstance(next(iter(times.values())), dict) else {"": times}
    whole = {form: float(sum(one.values())) for form, one in forms.items()}
    shares = {form: {kind: 100 * time / whole[form] for kind, time in one.items()} for form, one in forms.items()}
    largest = {}
    for one in shares.values():
        for kind, share in one.items():
            largest[kind] = max(share, largest.get(kind, 0))
    kinds = sorted((kind for kind in largest if kind != "other" and largest[kind] >= 0.5), key=lambda k: -largest[k])
    rest = {form: max(0, 100 - sum(one.get(kind, 0) for kind in kinds)) for form, one in shares.items()}
    labels = kinds + (["other"] if max(rest.values()) >= 0.5 else [])
    figure, axes = draw(3.6 + 2.6 * len(forms), 0.9 + 0.26 * len(labels), len(forms))
    for axis, (form, one) in zip(axes, shares.items()):
        values = [dict(one, other=rest[form]).get(kind, 0) for kind in labels]
        rows = np.arange(len(labels))
        axis.barh(rows, values, color=[BOUND if kind == "other" else INK for kind in labels], height=0.7)
        for row, value in zip(rows, values):
            axis.text(value + 1, row, "{:.0f} %".format(value), va="center", fontsize=7, color=INK)
        axis.set_yticks(rows)
        axis.set_yticklabels(labels if axis is axes[0] else [])
        axis.invert_yaxis()
        axis.set_xlim(0, 115)
        axis.set_xticks([0, 50, 100])
        clean(axis, "share of the time, %", "", form)
    return finish(figure, "Where the time goes: the share of each kind of work", colours=16)


OPERATIONS = {  # kinds of operations in a profile, in their order, with their colours
    "to the device": ACCENT,
    "product": INK,
    "product and sum": "#4d7298",
    "sum": "#5fa8d3",
    "back": "#e3a857",
    "rest": "#bbbbbb",
}


def shares(profiles, seconds=()):
    """What share of its time each kind of operation takes, one stacked bar for each of ``profiles``: a Picture.

    ``profiles``: {name: [(operation, kind, calls, milliseconds), ...]}; a kind is one of OPERATIONS. ``seconds``,
    {name: seconds of a call}, is drawn as dots beside it.
    """
    names = list(profiles) + [name for name in seconds if name not in profiles]
    names = [name for name in seconds if name in names] or names
    figure, axes = draw(7.6 if seconds else 5.4, 1.3 + 0.25 * len(names), 2 if seconds else 1)
    bars, places = axes[-1], {name: place for place, name in enumerate(names)}
    left = dict.fromkeys(profiles, 0.0)
    for kind, colour in OPERATIONS.items():
        spent = {name: sum(row[3] for row in rows if row[1] == kind) for name, rows in profiles.items()}
        if not any(spent.values()):
            continue
        whole = {name: sum(row[3] for row in rows) or 1.0 for name, rows in profiles.items()}
        part = {name: 100.0 * spent[name] / whole[name] for name in profiles}
        at = [places[name] for name in profiles]
        bars.barh(at, list(part.values()), 0.6, left=list(left.values()), color=colour, label=kind)
        left = {name: left[name] + part[name] for name in profiles}
    bars.set_xlim(0, 100)
    handles, kinds = bars.get_legend_handles_labels()
    figure.legend(handles, kinds, loc="lower center", ncol=len(OPERATIONS), fontsize=7, frameon=False)
    clean(bars, "% of the profile\n", "", "where the time goes")  # an empty line for the legend
    if seconds:
        axes[0].plot([1e3 * one for one in seconds.values()], [places[name] for name in seconds], "o", color=INK)
        axes[0].set_xlim(0, 1.15e3 * max(seconds.values()))
        axes[0].grid(axis="x", color="#e8e8e8", linewidth=0.6)
        clean(axes[0], "milliseconds\n", "", "a call, without the profiler")
    for number, axis in enumerate(axes):
        axis.set_yticks(range(len(names)))
        axis.set_yticklabels([] if number else names)
        axis.set_ylim(len(names) - 0.4, -0.6)
    return finish(figure, "Milliseconds of a call of each form, and the shares of its operations", colours=32)


def top_classes(images, probabilities, classes, titles):
    """Photos (N, H, W, 3), uint8, each with its title, and below it its five most probable classes."""
    figure, axes = draw(1.9 * len(images), 3.6, len(images), 2)
    for photo, axis, image, chances, title in zip(axes, axes[len(images) :], images, probabilities, titles):
        photo.imshow(image)
        photo.axis("off")
        photo.set_title(title, fontsize=7)
        best = np.argsort(chances)[::-1][:5]
        axis.plot(chances[best], np.arange(5), "o", color=INK, markersize=4)
        for place, number in enumerate(best):
            axis.text(0, place - 0.2, classes[number], fontsize=7, color=INK)
        axis.set_xlim(-0.05, 1.05)
        axis.set_ylim(4.4, -0.9)
        axis.set_yticks([])
        clean(axis, "probability", "", "")
    return finish(figure, "Photos, each with its five most probable classes")
