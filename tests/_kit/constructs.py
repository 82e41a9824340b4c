"""One function, differentiable by each kind of rule on the host, and the transformations that every one of them takes.

f(x, y) = M sin x + (N y)^2 x_0, from R^3 x R^2 to R^4. Each construct counts how often each of its NumPy functions is
called, in `calls`.
"""

import collections
import functools

import jax
import jax.numpy as jnp
import numpy as np

import hostwrap as hw

_draw = np.random.default_rng(0)
M, N, G = _draw.normal(size=(4, 3)), _draw.normal(size=(4, 2)), np.array([1.0, -2.0, 0.5, 0.7])
X, Y = np.array([0.3, -0.7, 1.1]), np.array([0.5, -1.2])
TX, TY = np.array([1.0, 0.5, -2.0]), np.array([0.3, 0.9])
XS, YS = jnp.stack([X, X / 2, X + 1]), jnp.stack([Y, 2 * Y, Y - 1])  # (JAX: no vmap over NumPy's inside jit)

calls: collections.Counter = collections.Counter()


def counted(function, name=None):
    """The function, and a mark in `calls` for each time it runs."""

    @functools.wraps(function)
    def counting(*args, **kwargs):
        calls[name or function.__name__] += 1
        return function(*args, **kwargs)

    return counting


def exact(x, y):
    """The same function in JAX."""
    return M @ jnp.sin(x) + (N @ y) ** 2 * x[0]


def f(x, y):
    return np.sin(x) @ M.T + (y @ N.T) ** 2 * x[..., :1]


def jvp(primals, tangents):
    """Only for what somebody differentiates."""
    (x, y), (tx, ty) = primals, tangents
    total = 0.0
    if tx is not None:
        total = total + (np.cos(x) * tx) @ M.T + (y @ N.T) ** 2 * tx[..., :1]
    if ty is not None:
        total = total + 2 * (y @ N.T) * (ty @ N.T) * x[..., :1]
    return total


def _first(*rest):
    """A vector of three numbers of which only the first is not 0."""
    total = sum(rest)
    return np.concatenate([total[..., None], np.zeros((*total.shape, 2))], axis=-1)


def vjp(primals, cotangent):
    x, y = primals
    cx = np.cos(x) * (cotangent @ M) + _first(np.sum(cotangent * (y @ N.T) ** 2, -1))
    return cx, (2 * (y @ N.T) * x[..., :1] * cotangent) @ N


def hvp(primals, tangents, cotangent):
    (x, y), (ux, uy), c = primals, tangents, cotangent
    ux, uy = np.zeros_like(x) if ux is None else ux, np.zeros_like(y) if uy is None else uy
    w, dw = y @ N.T, uy @ N.T
    hx = -np.sin(x) * ux * (c @ M) + _first(np.sum(c * 2 * w * dw, -1))
    return hx, (2 * dw * x[..., :1] * c) @ N + (2 * w * ux[..., :1] * c) @ N


def jacobian(x, y):
    along_x = M * np.cos(x)
    along_x[:, 0] += (N @ y) ** 2
    return along_x, 2 * (N @ y)[:, None] * N * x[0]


def hessian(x, y):
    xx, xy = np.zeros((4, 3, 3)), np.zeros((4, 3, 2))
    xx[:, range(3), range(3)] = -M * np.sin(x)
    xy[:, 0, :] = 2 * (N @ y)[:, None] * N
    return (xx, xy), (np.swapaxes(xy, 1, 2), 2 * x[0] * N[:, :, None] * N[:, None, :])


SIGNATURE = "(3),(2)->(4)"


def _wrapped(**options):
    return hw.wrap(counted(f), signature=SIGNATURE, **options)


def with_defhost(**options):
    return _wrapped(**options).defhost(jvp=counted(jvp), vjp=counted(vjp), hvp=counted(hvp))


def with_defjacobian():
    function = _wrapped()
    function.defjacobian(counted(jacobian), hessian=counted(hessian))
    return function


def with_defvalue_and_grad():
    function = _wrapped()

    def value_and_grad(x, y):
        return f(x, y), jacobian(x, y)

    function.defvalue_and_grad(counted(value_and_grad), hessian=counted(hessian))
    return function


def of_trees():
    """The arguments in a dict, the result in two parts."""
    shape = jax.ShapeDtypeStruct((2,), np.float64)

    def parts(y):
        return {"low": y[:2], "high": y[2:]}

    def joined(parts):
        return np.concatenate([parts["low"], parts["high"]])

    def pair(p):
        return None if p is None else (p["x"], p["y"])

    function = hw.wrap(counted(lambda p: parts(f(p["x"], p["y"])), "f"), out={"low": shape, "high": shape})
    function.defhost(
        jvp=counted(lambda p, t: parts(jvp(pair(p[0]), pair(t[0]))), "jvp"),
        vjp=counted(lambda p, c: (dict(zip("xy", vjp(pair(p[0]), joined(c)), strict=True)),), "vjp"),
        hvp=counted(
            lambda p, t, c: (dict(zip("xy", hvp(pair(p[0]), pair(t[0]), joined(c)), strict=True)),), "hvp"
        ),
    )

    def flat(x, y):
        tree = function({"x": x, "y": y})
        return jnp.concatenate([tree["low"], tree["high"]])

    return flat


def elementwise():
    """sin(a) b, elementwise with broadcasting; the rest in JAX."""
    wave = hw.wrap(counted(lambda a, b: np.sin(a) * b, "f"))

    def push(primals, tangents):
        (a, b), (ta, tb) = primals, tangents
        along_a = 0.0 if ta is None else np.cos(a) * b * ta
        return along_a + (0.0 if tb is None else np.sin(a) * tb)

    def second(primals, tangents, c):
        (a, b), (ta, tb) = primals, tangents
        ta, tb = (np.zeros_like(a) if t is None else t for t in (ta, tb))
        return c * (-np.sin(a) * b * ta + np.cos(a) * tb), c * np.cos(a) * ta

    wave.defhost(
        jvp=counted(push, "jvp"),
        vjp=counted(lambda p, c: (c * np.cos(p[0]) * p[1], c * np.sin(p[0])), "vjp"),
        hvp=counted(second, "hvp"),
    )
    return lambda x, y: wave(x, M).sum(1) + (N @ y) ** 2 * x[0]


def of_linear_maps():
    """The matrices on the host, what is not linear in JAX."""
    first = hw.linear(
        counted(lambda x: M @ x, "f"), "(3)->(4)", transpose=counted(lambda c: M.T @ c, "transpose")
    )
    second = hw.linear(
        counted(lambda y: N @ y, "f"), "(2)->(4)", transpose=counted(lambda c: N.T @ c, "transpose")
    )
    return lambda x, y: first(jnp.sin(x)) + second(y) ** 2 * x[0]


def of_an_equation():
    """As if it were known only that y + y^3 = f + f^3."""
    function = _wrapped()

    def residual(answer, x, y):
        known = exact(x, y)
        return answer + answer**3 - (known + known**3)

    function.defimplicit(residual)
    return function


def by_differences():
    return _wrapped(numerical=True)


CONSTRUCTS = {
    "defhost": with_defhost,
    "defhost, whole batches": functools.partial(with_defhost, vmap_method="broadcast_all"),
    "defhost, expand_dims": functools.partial(with_defhost, vmap_method="expand_dims"),
    "defhost, pytrees": of_trees,
    "defhost, elementwise": elementwise,
    "defjacobian": with_defjacobian,
    "defvalue_and_grad": with_defvalue_and_grad,
    "linear": of_linear_maps,
    "defimplicit": of_an_equation,
}

# ---- transformations: each takes the function, and gives something to call without arguments


def loss(f):
    return lambda x, y: jnp.sum(f(x, y) ** 2)


def _loop(f):
    """Three steps of x <- x + f(x, y)[:3] / 10."""

    def step(x, y):
        return x + 0.1 * f(x, y)[:3]

    return lambda x, y: jax.lax.scan(lambda x, _: (step(x, y), None), x, None, length=3)[0].sum()


def _while(f):
    def body(state):
        count, x = state
        return count + 1, x + 0.1 * f(x, Y)[:3]

    return lambda x: jax.lax.while_loop(lambda s: s[0] < 3, body, (0, x))[1]


FIRST = {
    "value": lambda f: lambda x, y: f(x, y),
    "jvp": lambda f: lambda x, y: jax.jvp(f, (x, y), (TX, TY)),
    "jvp in x": lambda f: lambda x, y: jax.jvp(lambda x: f(x, y), (x,), (TX,)),
    "linearize": lambda f: lambda x, y: jax.linearize(f, x, y)[1](TX, TY),
    "vjp": lambda f: lambda x, y: jax.vjp(f, x, y)[1](jnp.asarray(G)),
    "vjp in y": lambda f: lambda x, y: jax.vjp(lambda y: f(x, y), y)[1](jnp.asarray(G)),
    "linear_transpose of jvp": lambda f: (
        lambda x, y: jax.linear_transpose(lambda t: jax.jvp(lambda x: f(x, y), (x,), (t,))[1], TX)(
            jnp.asarray(G)
        )
    ),
    "grad": lambda f: jax.grad(loss(f), (0, 1)),
    "grad in x": lambda f: jax.grad(loss(f)),
    "value_and_grad": lambda f: jax.value_and_grad(loss(f), (0, 1)),
    "jacfwd": lambda f: jax.jacfwd(f, (0, 1)),
    "jacrev": lambda f: jax.jacrev(f, (0, 1)),
    "vmap": lambda f: lambda x, y: jax.vmap(f)(XS, YS),
    "vmap over x": lambda f: lambda x, y: jax.vmap(f, (0, None))(XS, y),
    "vmap of vmap": lambda f: lambda x, y: jax.vmap(jax.vmap(f, (None, 0)), (0, None))(XS, YS),
    "vmap of jvp": lambda f: (
        lambda x, y: jax.vmap(lambda x, t: jax.jvp(lambda x: f(x, y), (x,), (t,)))(XS, XS)
    ),
    "vmap of grad": lambda f: lambda x, y: jax.vmap(jax.grad(loss(f), (0, 1)), (0, None))(XS, y),
    "vmap of jacfwd": lambda f: lambda x, y: jax.vmap(jax.jacfwd(f, (0, 1)), (None, 0))(x, YS),
    "vmap of jacrev": lambda f: lambda x, y: jax.vmap(jax.jacrev(f, (0, 1)), (None, 0))(x, YS),
    "jvp of vmap": lambda f: lambda x, y: jax.jvp(lambda xs: jax.vmap(f, (0, None))(xs, y), (XS,), (XS,)),
    "grad of vmap": lambda f: lambda x, y: jax.grad(lambda xs: jax.vmap(loss(f), (0, None))(xs, y).sum())(XS),
    "grad of vmap, shared": lambda f: (
        lambda x, y: jax.grad(lambda y: jax.vmap(loss(f), (0, None))(XS, y).sum())(y)
    ),
    "grad of scan": lambda f: jax.grad(_loop(f), (0, 1)),
    "jvp of scan": lambda f: lambda x, y: jax.jvp(_loop(f), (x, y), (TX, TY)),
    "jvp of while_loop": lambda f: lambda x, y: jax.jvp(_while(f), (x,), (TX,)),
    "grad of checkpoint": lambda f: jax.grad(jax.checkpoint(loss(f)), (0, 1)),
    "grad of cond": lambda f: jax.grad(
        lambda x, y: jax.lax.cond(x[0] > 0, loss(f), lambda x, y: x.sum() + y.sum(), x, y), (0, 1)
    ),
    "grad of jit": lambda f: jax.grad(jax.jit(loss(f)), (0, 1)),
    "grad of a difference": lambda f: jax.grad(lambda x, y: loss(f)(x, y) - 3 * f(2 * x, y).sum(), (0, 1)),
}
SECOND = {
    "hessian": lambda f: jax.hessian(loss(f), (0, 1)),
    "reverse over forward": lambda f: jax.jacrev(jax.jacfwd(f, (0, 1)), (0, 1)),
    "reverse over reverse": lambda f: jax.jacrev(jax.jacrev(f, (0, 1)), (0, 1)),
    "forward over forward": lambda f: jax.jacfwd(jax.jacfwd(f, (0, 1)), (0, 1)),
    "forward over reverse": lambda f: jax.jacfwd(jax.jacrev(f, (0, 1)), (0, 1)),
    "hessian in x": lambda f: jax.hessian(loss(f)),
    "hessian in y of grad in x": lambda f: jax.jacrev(jax.grad(loss(f)), 1),
    "hvp": lambda f: lambda x, y: jax.jvp(jax.grad(loss(f), (0, 1)), (x, y), (TX, TY)),
    "grad of the norm of grad": lambda f: jax.grad(
        lambda x, y: jnp.sum(jax.grad(loss(f))(x, y) ** 2), (0, 1)
    ),
    "vmap of hessian": lambda f: lambda x, y: jax.vmap(jax.hessian(loss(f), (0, 1)), (0, None))(XS, y),
    "hessian of vmap": lambda f: jax.hessian(
        lambda x, y: jax.vmap(loss(f), (None, 0))(x, y * YS).sum(), (0, 1)
    ),
    "hessian of scan": lambda f: jax.hessian(_loop(f), (0, 1)),
    "hessian of checkpoint": lambda f: jax.hessian(jax.checkpoint(loss(f)), (0, 1)),
    "grad of a factor of a hessian": lambda f: (
        lambda x, y: jax.grad(
            lambda a: jnp.sum(jax.hessian(lambda x: loss(lambda x, y: a * f(x, y))(x, y))(x) ** 2)
        )(1.3)
    ),
}
TRANSFORMS = {**FIRST, **SECOND}
