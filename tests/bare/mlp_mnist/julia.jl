# Nielsen's network as Julia's performance tips say: buffers, mul! and dots, for each digit. A pass over 1,280 random ones.
using LinearAlgebra

BLAS.set_num_threads(1)

const Layer = NamedTuple{(:W, :b),Tuple{Matrix{Float64},Vector{Float64}}}
layer(out, in) = Layer((randn(out, in), randn(out)))
zero_of(l) = Layer((zero(l.W), zero(l.b)))

function train_pass!(l1, l2, g1, g2, a1, a2, d1, d2, x, y, rate, size)
    loss = 0.0
    for first in 1:size:Base.size(x, 2)
        last = min(first + size - 1, Base.size(x, 2))
        for g in (g1, g2)
            fill!(g.W, 0)
            fill!(g.b, 0)
        end
        for k in first:last
            xk = view(x, :, k)
            a1 .= l1.b
            mul!(a1, l1.W, xk, 1, 1)
            a1 .= 1 ./ (1 .+ exp.(.-a1))
            a2 .= l2.b
            mul!(a2, l2.W, a1, 1, 1)
            a2 .= 1 ./ (1 .+ exp.(.-a2))
            d2 .= a2 .- view(y, :, k)
            loss += sum(abs2, d2) / 2
            d2 .*= a2 .* (1 .- a2)
            mul!(d1, l2.W', d2)
            d1 .*= a1 .* (1 .- a1)
            BLAS.ger!(1.0, d1, xk, g1.W)
            BLAS.ger!(1.0, d2, a1, g2.W)
            g1.b .+= d1
            g2.b .+= d2
        end
        step = rate / (last - first + 1)
        for (l, g) in ((l1, g1), (l2, g2))
            l.W .-= step .* g.W
            l.b .-= step .* g.b
        end
    end
    return loss
end

bare_pass = let
    l1, l2 = layer(30, 784), layer(10, 30)
    x, y = rand(784, 1280), rand(10, 1280)
    kept = l1, l2, zero_of(l1), zero_of(l2), zeros(30), zeros(10), zeros(30), zeros(10)
    () -> train_pass!(kept..., x, y, 1.25, 10)
end
