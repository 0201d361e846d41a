"""Mistakes planted in the lesson notebooks/affine_transfer/julia.ipynb: see affine_transfer.py."""

from tests.plants import affine_transfer as affine

AFFINE = "affine(m, x, b) = m * x + b"
IN_PLACE = "    copyto!(y, b)\n    return mul!(y, m, x, 1, 1)"
LOOP = """    for _ in 1:calls
        affine!(y, m, x, b)
    end
    return y"""
HANDED = """    for _ in 2:calls
        y = affine(m, x, b)
    end"""
RUN = "profiled(form, m, x, b, CALLS)"
DRAWN = "m, x, b = [randn(rng, Float32, SIZE, SIZE) for _ in 1:3]"

PLANTS = {
    "the product hoisted out of the loop": ([(HANDED, "    p = m * x\n    for _ in 2:calls\n        y = p + b\n    end")], affine.PRODUCTS),
    "the loop hoisted where all is kept": ([(LOOP, "    affine!(y, m, x, b)\n    return y")], affine.COUNT),
    "one call fewer": ([("for _ in 2:calls", "for _ in 3:calls")], affine.COUNT),
    "the sum once": ([(HANDED, "    for _ in 2:calls\n        m * x\n    end")], affine.SUMS),
    "the result kept from the first call": ([("function keep_all(m, x, b, calls)\n", "const FOUND = []\n\nfunction keep_all(m, x, b, calls)\n    isempty(FOUND) || return FOUND[1]\n"), (LOOP, LOOP.replace("    return y", "    push!(FOUND, y)\n    return y"))], affine.OTHERS),
    "m transposed": ([(AFFINE, AFFINE.replace("m * x", "permutedims(m) * x"))], affine.ROW),
    "m and x exchanged": ([(IN_PLACE, IN_PLACE.replace("m, x", "x, m"))], "all kept: " + affine.ROW),
    "b added twice": ([(AFFINE, AFFINE + " + b")], affine.ROW),
    "b left out where all is kept": ([(IN_PLACE, IN_PLACE.replace("1, 1)", "1, 0)"))], "all kept: " + affine.ROW),
    "x rounded to Float16": ([(HANDED, HANDED.replace("(m, x, b)", "(m, Float32.(Float16.(x)), b)"))], affine.ROW + "|MethodError"),
    "the computation in float64": ([("    return mul!(y, m, x, 1, 1)", "    return mul!(y, m, x, 1, 1)"), (LOOP, LOOP.replace("return y", "return y isa Matrix ? Float64.(y) : y"))], affine.TYPE),
    "a profile that lists the copy as a product": ([('"copyto!" => "rest"', '"copyto!" => "product"')], affine.COUNT),
    "a matrix altered in Data": ([(DRAWN, DRAWN + "\nx .*= 2")], "no draw from"),
    "the lesson's profiles of half of the calls": ([(RUN, RUN.replace("CALLS", "CALLS ÷ 2"))], affine.LEFT),
}
