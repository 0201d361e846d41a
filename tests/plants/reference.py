"""What the plants of NumPy's notebooks share: plain Python 3.6."""

# Before the proof, these notebooks compare float64 gradients or features with the stored ones, or a slope with a
# difference of two losses; that raises no ProofError. A plant that would stop there leaves the comparison out, so that
# the proof itself must notice it.
UNCOMPARED = ("np.testing.assert_allclose(", "(lambda *values, **bounds: None)(")
