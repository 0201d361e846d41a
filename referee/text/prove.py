"""The proof of a lesson that trains on text: as of training, with logits, bits per byte, and what it writes."""

import numpy as np

from ..proof.outputs import OutputsProof
from ..proof.prove import REDUCED, TrainingProver
from ..proof.reference import fingerprint
from ..proof.training import TrainingProof, fingerprint_error

DEVIATE = 5.0  # of what sampled bytes are worth: a right lesson fails 1 time in 1,700,000
TEMPERATURE, SAMPLES = 0.5, 2  # of the sampled bytes; how often they are drawn


class TextProof(TrainingProof, OutputsProof):
    """Collects the parts; each method takes what the lesson computed and returns the proof."""

    kind = "text"

    def gradients(self, gradients):
        """``gradients``: {tensor: array}, each beside its stored fingerprint; one of nothing counts absolutely."""
        known, bound = self.reference.results, self.reference.spec["gradient_bound"]
        errors = {
            name: fingerprint_error(fingerprint(gradients[name], name), known["gradient." + name])
            for name, _, _ in self.reference.spec["tensors"]
        }
        self.gradient_errors, self.gradient_bound = errors, bound
        self.largest("gradients", errors, dict.fromkeys(errors, bound), "gradient of")
        return self

    def evaluation(self, bits, part="evaluation"):
        """``bits``: per byte of the test samples, by the lesson's own ``evaluate``; "after": after two steps."""
        known, bound = [float(self.reference.results[part + "." + name]) for name in ("bits", "bound")]
        error = abs(bits - known) / known
        said = "{}evaluate gives {:.5f} bits per byte, reference {:.5f}: off by {:.2g} (bound {:.1e})"
        first = "after two steps, " if part == "after" else ""
        self.add(part, error, bound, "evaluate", said.format(first, bits, known, error, bound))
        return self

    def generation(self, found):
        """``found``: {(number of the prompt, with a cache or without): the bytes that were written}, greedily."""
        known, wrong, count = self.reference.results["generated"], [], 0
        for (number, cache), ours in sorted(found.items()):
            places = np.flatnonzero(ours != known[number])
            count += len(places)
            if len(places):
                said = "prompt {} {} a cache: byte {} is another than the reference's"
                wrong.append(said.format(number, "with" if cache else "without", places[0]))
        written = known.shape[1]
        text = "generation: {} of {} bytes are others".format(count, written * len(found))
        self.add("generation", count, 0, wrong[0] if wrong else "", "; ".join([text] + wrong))
        return self

    def sampling(self, deviate, faults):
        """``deviate``: how far sampled bytes are from what they should be worth; ``faults``: sentences."""
        text = "sampling: {:.1f} deviations off (bound {})".format(deviate, DEVIATE)
        self.add("sampling", np.inf if faults else abs(deviate), DEVIATE, "", "; ".join([text] + faults))
        return self


class TextProver(TrainingProver):
    """Computes the parts of a TextProof.

    ``spec["settings"]`` makes the schedule short; ``spec["generation"]`` has "prompts", [[first, length], ...] in the
    test text, and "count", how many bytes are written.
    """

    PROOF = TextProof
    PARTS = {
        "gradients": ["gradients"],
        "losses": ["losses"],
        "evaluation": ["evaluation", "logits"],
        "dropout": ["dropout"],
        "change": ["change", "after"],
        "generation": ["generation", "sampling"],
    }

    def _bits(self):
        return self.adapters.evaluate(*self.adapters.tensors(self.reference.x_test, self.reference.y_test))

    def _logits(self):
        """Of the test samples, mini-batch by mini-batch."""
        x, y, size = self.reference.x_test, self.reference.y_test, self.reference.batch_size
        found, shape = [], self.reference.results["logits.shape"][1:]
        for start in range(0, len(x), size):
            given = self.adapters.tensors(x[start : start + size], y[start : start + size])
            found.append(self.adapters.logits(given[0], (len(x[start : start + size]),) + tuple(shape)))
        return np.concatenate(found)

    def evaluation(self):
        """Logits, and bits per byte, with the real dropout rate in the model."""
        self._start(self.reference.weights(), self.own, LEARNING_RATE=0.0)
        self.proof.evaluation(self._bits())
        self.proof.outputs("logits", self._logits())

    def dropout(self):
        """Training passes over the same samples at learning rate 0 after an evaluation, with the reference's labels."""
        self._start(self.reference.weights(), self.own, LEARNING_RATE=0.0)
        self.adapters.evaluate(*self.adapters.tensors(self.reference.x_first[:2], self.reference.y_first[:2]))
        labels, whole = self.reference.results["dropout_labels"], (self.x, self.y)
        self.x, self.y = self.adapters.tensors(self.reference.x[: len(labels)], labels)
        self.proof.dropout(self._train(self.reference.repeated))
        self.x, self.y = whole

    def change(self):
        """What two steps at the rates of a warm-up move, and bits per byte after them."""
        super().change()
        self.proof.evaluation(self._bits(), "after")

    def prompts(self):
        """The bytes of each prompt: uint8 arrays."""
        text = self.reference.x_test.ravel()
        return [text[first : first + length] for first, length in self.reference.spec["generation"]["prompts"]]

    def generation(self):
        """Greedily, with a cache and without, after a training step; then sampled.

        In reduced precision only whether anything is written: rounding may choose other bytes.
        """
        self._start(self.reference.weights(), self.own, LEARNING_RATE=0.0)
        self._train(self.reference.first)  # dropout is on
        count, prompts = self.reference.spec["generation"]["count"], self.prompts()
        asked = [(number, cache) for number in range(len(prompts)) for cache in (True, False)]
        self.proof.generation({(n, cache): self.adapters.generate(prompts[n], count, 0.0, cache) for n, cache in asked})
        self._sampled(prompts[0], count)
        if self.precision in REDUCED:
            self._start(self.reference.weights(), self.own, PRECISION=self.precision)
            for cache in (True, False):
                self.adapters.generate(prompts[0], count, 0.0, cache)

    def _sampled(self, prompt, count):
        """Bytes at a temperature, and what the lesson's own logits say of them."""
        context, vocabulary = self.reference.results["logits.shape"][1:]
        drawn = np.array([self.adapters.generate(prompt, count, TEMPERATURE, True) for _ in range(SAMPLES)])
        faults = [] if len(set(map(bytes, drawn))) == SAMPLES else ["the same bytes are drawn twice"]
        if not self.adapters.refuses(prompt, -1.0):
            faults.append("a temperature of -1 is no ValueError")
        x = np.zeros((SAMPLES, context), np.uint8)
        begin = len(prompt)
        x[:, :begin], x[:, begin : begin + count] = prompt, drawn
        given = self.adapters.tensors(x, x)
        logits = self.adapters.logits(given[0], (SAMPLES, context, vocabulary))[:, begin - 1 : begin - 1 + count]
        self.proof.sampling(surprise(logits / TEMPERATURE, drawn), faults)


def surprise(logits, drawn):
    """By how many standard deviations the log-probabilities of ``drawn`` (N, T) are off their mean.

    ``logits`` (N, T, vocabulary): what the bytes were drawn from.
    """
    shifted = logits - logits.max(axis=-1, keepdims=True)
    logs = shifted - np.log(np.exp(shifted).sum(axis=-1, keepdims=True))
    mean = np.sum(np.exp(logs) * logs, axis=-1)
    variance = np.sum(np.exp(logs) * logs**2, axis=-1) - mean**2
    ours = np.take_along_axis(logs, drawn[..., None].astype(np.int64), axis=-1)[..., 0]
    return float(np.sum(ours - mean) / np.sqrt(np.sum(variance)))
