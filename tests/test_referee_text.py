"""The referee of lessons about text: what it notices of bits, logits, written and sampled bytes."""

import types

import numpy as np
import pytest

from common import plots
from referee.adapters import AdapterError
from referee.lesson import LessonError
from referee.proof import ProofError, writing
from referee.proof.reference import fingerprint
from referee.text import session
from referee.text.adapters import TextAdapters
from referee.text.prove import DEVIATE, TextProof, TextProver, surprise

RNG = np.random.default_rng(3)
GRADIENTS = {"weight": RNG.normal(size=(3, 4)), "silent": np.zeros(4)}
WRITTEN = RNG.integers(0, 256, (2, 16)).astype(np.uint8)
LOGITS = RNG.normal(size=(3, 8, 256))
REFERENCE = types.SimpleNamespace(
    spec={"tensors": [["weight", [3, 4], "zeros"], ["silent", [4], "zeros"]], "gradient_bound": 1e-5},
    results={
        **{f"gradient.{name}": fingerprint(value, name) for name, value in GRADIENTS.items()},
        **{"evaluation.bits": 4.0, "evaluation.bound": 1e-5, "after.bits": 3.0, "after.bound": 1e-5},
        **writing.outputs("logits", LOGITS, 1e-5),
        "generated": WRITTEN,
    },
)


def failures(change):
    proof = TextProof(REFERENCE)
    change(proof)
    return proof.failures()


# ---- the proof


def test_the_reference_s_own_results_pass():
    both = {(number, cache): WRITTEN[number] for number in range(2) for cache in (True, False)}
    proof = TextProof(REFERENCE).gradients(GRADIENTS).evaluation(4.0).evaluation(3.0, "after")
    proof.outputs("logits", LOGITS).generation(both).sampling(-4.0, [])
    assert not proof.failures() and proof.summary()["kind"] == "text"
    assert list(proof.parts) == ["gradients", "evaluation", "after", "logits", "generation", "sampling"]


@pytest.mark.parametrize("name, off", [("weight", 1e-4), ("silent", 1e-4)])
def test_a_gradient_that_is_off_is_named(name, off):
    wrong = {**GRADIENTS, name: GRADIENTS[name] + off}
    assert f"gradient of {name}" in failures(lambda proof: proof.gradients(wrong))[0]


def test_a_gradient_of_zero_may_be_rounding():
    assert not failures(lambda proof: proof.gradients({**GRADIENTS, "silent": np.full(4, 1e-8)}))


def test_other_bits_logits_and_bytes_are_noticed():
    assert "evaluate gives 4.00100" in failures(lambda proof: proof.evaluation(4.001))[0]
    assert "after two steps" in failures(lambda proof: proof.evaluation(float("nan"), "after"))[0]
    wrong = LOGITS.copy()
    wrong[2] *= 1.001
    assert "logits: sample 2 is off" in failures(lambda proof: proof.outputs("logits", wrong))[0]
    other = WRITTEN[1].copy()
    other[5] ^= 1
    found = {(0, True): WRITTEN[0], (1, False): other}
    assert "1 of 32 bytes are others; prompt 1 without a cache: byte 5" in failures(lambda p: p.generation(found))[0]


# ---- sampling


def draw(logits, temperature):
    chances = np.exp(logits / temperature)
    chances /= chances.sum(axis=-1, keepdims=True)
    return np.array([[RNG.choice(256, p=p) for p in row] for row in chances])


def test_bytes_are_worth_what_their_temperature_promises():
    logits = RNG.normal(size=(2, 64, 256))
    for temperature in (0.5, 1.0, 2.0):
        assert abs(surprise(logits / temperature, draw(logits, temperature))) < DEVIATE
    assert surprise(logits / 0.5, draw(logits, 1.0)) < -DEVIATE  # the temperature left out
    assert surprise(logits / 0.5, draw(logits, 2.0)) < -DEVIATE  # multiplied
    assert surprise(logits / 0.5, logits.argmax(axis=-1)) > DEVIATE  # greedy
    assert surprise(logits / 0.5, draw(np.roll(logits, 1, axis=1), 0.5)) < -DEVIATE  # of the byte before


def test_faults_of_sampling_fail():
    assert failures(lambda proof: proof.sampling(0.1, ["the same bytes are drawn twice"]))
    assert failures(lambda proof: proof.sampling(-5.1, []))


# ---- the adapters


def refuse(prompt, count, temperature, cache):
    if temperature < 0:
        raise ValueError("below 0")
    return b"a" * count


def adapters(**changes):
    """TextAdapters of a check that is right but for the changes."""
    right = dict.fromkeys(TextAdapters.REQUIRED, lambda *_: None)
    right.update({"generate": refuse, "logits": lambda x: np.zeros((2, 4, 256)), "evaluate": lambda x, y: 4.5})
    check = types.SimpleNamespace(**{**right, **changes})
    return TextAdapters(check, "checks/one.py", "one.ipynb", REFERENCE)


def test_right_adapters_give_arrays():
    right = adapters()
    assert right.generate(np.array([84, 111], np.uint8), 3).tolist() == [97] * 3
    assert right.logits(None, (2, 4, 256)).dtype == np.float64 and right.evaluate(None, None) == 4.5
    assert right.refuses(b"To", -1.0) and not right.refuses(b"To", 1.0)


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"generate": lambda *_: b"ab"}, "generate.. gave bytes of length 2; expected: 3 bytes"),
        ({"generate": lambda *_: [97] * 3}, "generate.. gave list"),
        ({"logits": lambda x: np.zeros((2, 4))}, "logits.. gave shape"),
        ({"logits": lambda x: np.full((2, 4, 256), np.nan)}, "not finite"),
        ({"evaluate": lambda x, y: -1.0}, "one number of bits per byte"),
        ({"evaluate": lambda x, y: [1.0, 2.0]}, "one number of bits per byte"),
    ],
)
def test_an_adapter_that_cannot_be_right_is_named(changes, said):
    found = adapters(**changes)
    with pytest.raises(AdapterError, match=said):
        found.generate(b"To", 3)
        found.logits(None, (2, 4, 256))
        found.evaluate(None, None)


# ---- pictures


def test_the_pictures_of_text_are_drawn():
    history = [([5.5, 4.0, 3.0], 4.1), ([2.9, 2.8, 2.7], 3.9)]
    weights = np.tril(np.ones((5, 5))) / np.arange(1, 6)[:, None]
    for picture in (
        plots.text(history),
        plots.text({"loss": [4.0, 3.0], "val_loss": [2.9, 2.8]}),
        plots.attention(weights, b"a b\nc", "one"),
        plots.attention(weights, "a b\nc"),
    ):
        assert picture.png[:4] == b"\x89PNG" and len(picture.png) < 40000


# ---- the prover


def prover(generate):
    """A prover in bf16 of one prompt; ``generate(precision, cache)`` stands for the lesson's."""
    made, now = object.__new__(TextProver), {}
    made.precision, made.own, made.proof = "bf16", {"PRECISION": "fp32"}, TextProof(REFERENCE)
    made.reference = types.SimpleNamespace(
        spec={"generation": {"count": 16, "prompts": [[0, 4]]}}, weights=dict, first=[0], x_test=WRITTEN
    )
    made._start = lambda _, settings, **more: now.update(settings, **more)
    made._train = made._sampled = lambda *_: None
    made.adapters = types.SimpleNamespace(generate=lambda *given: generate(now["PRECISION"], given[-1]))
    return made


def test_a_lesson_in_reduced_precision_must_write_in_it():
    asked = []

    def written(precision, cache):
        asked.append((precision, cache))
        return WRITTEN[0] if precision == "fp32" else WRITTEN[1]  # rounding may choose other bytes

    one = prover(written)
    one.generation()
    assert one.proof.failures() == []
    assert asked == [(precision, cache) for precision in ("fp32", "bf16") for cache in (True, False)]

    def float32_cache(precision, cache):
        if precision == "bf16" and cache:
            raise TypeError("dynamic_update_slice requires arguments to have the same dtypes")
        return WRITTEN[0]

    with pytest.raises(TypeError, match="same dtypes"):
        prover(float32_cache).generation()


@pytest.mark.parametrize(
    ("errors", "computed"), [([1.8e-6, 1.1e-4, 3.8e-4], True), ([1e-4, 1e-7, 1e-7], True), ([1e-6, 2e-6, 0.0], False)]
)
def test_losses_that_are_all_as_near_as_in_fp32_show_that_nothing_was_computed_in_bf16(errors, computed):
    made, started = object.__new__(TextProver), []
    made.precision, made.still = "bf16", {}
    made.proof = types.SimpleNamespace(losses=lambda _: None)
    made.reference = types.SimpleNamespace(
        weights=dict, results={"loss_bounds": np.full(3, 2e-6)}, relative_errors=lambda _: np.array(errors)
    )
    made._start, made._epochs = lambda *_, **settings: started.append(settings), lambda: None
    if computed:
        made.losses()
    else:
        with pytest.raises(ProofError, match="in bf16 the losses are as near"):
            made.losses()
    assert started == [{}, {"PRECISION": "bf16"}]


# ---- what a lesson's own run came to


@pytest.mark.parametrize(
    ("shown", "own", "said"),
    [(8.0, 8.0, ""), (7.9, 8.0, "history ends with 7.9000"), (8.0, 7.9, "evaluate gives 7.9000")],
)
def test_bits_are_counted_from_logits_of_the_short_last_batch_too(shown, own, said):
    x, found = np.zeros((4, 8), np.uint8), object.__new__(session.Session)
    found.lesson = types.SimpleNamespace(
        name="one.ipynb",
        given={"EPOCHS": 1, "BATCH_SIZE": 3},
        named=lambda *_: (None, None),
        history=lambda *_: (2, np.array([5.5, 5.0]), shown),
    )
    found.reference = types.SimpleNamespace(spec={"learned": 0.9}, results={"logits.shape": [4, 8, 256]})
    found.data, found.measured = types.SimpleNamespace(x_train=x, x_test=x, y_test=x), {}
    flat = {"tensors": lambda x, y: (x, y), "logits": lambda x: np.zeros((len(x), 8, 256))}  # 8 bits for each byte
    given = adapters(**flat, evaluate=lambda x, y: own)
    found.adapters, found.look = lambda: given, lambda _: None
    if not said:
        found.judge()
        assert found.measured["bits per byte"] == ("bit", [pytest.approx(8)])
        return
    with pytest.raises(LessonError, match=said):
        found.judge()
