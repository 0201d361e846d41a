# %% tags=["check"]
"""The adapters through which the referee sees theano.ipynb."""


class check:
    def forms():
        return forms

    def compute(form, m, x, b, calls):
        return forms[form](m, x, b, calls)

    def profile(form, m, x, b, calls):
        return profiled(forms[form], m, x, b, calls)
