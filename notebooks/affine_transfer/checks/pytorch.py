# %% tags=["check"]
"""The adapters through which the referee sees pytorch.ipynb."""


class check:
    def forms():
        return forms

    def compute(form, m, x, b, calls):
        return forms[form](m, x, b, calls)

    def profile(form, m, x, b, calls):
        return profiled(forms[form], m, x, b, calls)

    def synchronize():
        if device.type == "cuda":
            torch.cuda.synchronize()

    def peak_memory():
        return torch.cuda.max_memory_allocated() if device.type == "cuda" else None
