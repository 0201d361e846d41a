# How the referee reaches into julia.ipynb. NumPy stores rows where Julia stores columns: its matrices arrive transposed.
check = (
    forms = () -> collect(keys(forms)),
    tensors = (m, x, b) -> map(permutedims, (m, x, b)),
    compute = (form, m, x, b, calls) -> permutedims(forms[form](m, x, b, calls)),
    profile = function (form, m, x, b, calls)
        y, rows = profiled(forms[form], m, x, b, calls)
        return permutedims(y), rows
    end,
    peak_memory = () -> Int(Sys.maxrss()),
)
