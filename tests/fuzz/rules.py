"""What a derivative rule returns in place of a derivative."""

import jax
import jax.numpy as jnp
import numpy as np
from hypothesis import strategies as st

import hostwrap as hw
from tests.fuzz import inputs
from tests.fuzz.outcomes import Wrong, is_ours, outcome, same
from tests.fuzz.results import CHANGES, WHATEVER, changes


def _product(attach):
    """x y, summed over a core axis where there is one, with a rule attached."""
    f = hw.wrap("(n),(n)->(n)")(lambda x, y: x * y)
    attach(f)
    return f


def _all(change, *values):
    return tuple(map(change, values))


RULES = {
    "partials": lambda f, c: f.defpartials(
        x=lambda ans, x, y: c(jnp.diag(y)), y=lambda ans, x, y: jnp.diag(x)
    ),
    "jvp": lambda f, c: f.defjvp(
        lambda primals, tangents: (f(*primals), c(sum(_products(primals, tangents))))
    ),
    "jvp, all of it": lambda f, c: f.defjvp(
        lambda primals, tangents: c((f(*primals), sum(_products(primals, tangents))))
    ),
    "vjp": lambda f, c: f.defvjp(
        lambda x, y: (f(x, y), (x, y)), lambda kept, ct: (c(ct * kept[1]), ct * kept[0])
    ),
    "vjp, all of it": lambda f, c: f.defvjp(
        lambda x, y: (f(x, y), (x, y)), lambda kept, ct: c((ct * kept[1], ct * kept[0]))
    ),
    "vjp, forward": lambda f, c: f.defvjp(
        lambda x, y: c((f(x, y), (x, y))), lambda k, ct: (ct * k[1], ct * k[0])
    ),
    "host": lambda f, c: f.defhost(
        jvp=lambda primals, tangents: c(sum(_products(primals, tangents))),
        vjp=lambda primals, ct: (c(ct * primals[1]), ct * primals[0]),
    ),
    "host, all of it": lambda f, c: f.defhost(vjp=lambda primals, ct: c((ct * primals[1], ct * primals[0]))),
    "jacobian": lambda f, c: f.defjacobian(lambda x, y: (c(np.diag(y)), np.diag(x))),
    "jacobian, all of it": lambda f, c: f.defjacobian(lambda x, y: c((np.diag(y), np.diag(x)))),
    "value and gradient": lambda f, c: f.defvalue_and_grad(lambda x, y: (x * y, (c(np.diag(y)), np.diag(x)))),
    "value and gradient, all of it": lambda f, c: f.defvalue_and_grad(
        lambda x, y: c((x * y, (np.diag(y), np.diag(x))))
    ),
}
ON_HOST = ("host", "jacobian", "value")


def _products(primals, tangents):
    (x, y), (dx, dy) = primals, tangents
    return [0 * x, *([dx * y] if dx is not None else []), *([x * dy] if dy is not None else [])]


def _in_jax(change):
    """Rules that are traced: NumPy cannot change a tracer, and what a change makes of that is a mistake of the test."""

    def changed(value):
        if isinstance(value, tuple):
            return change(value)
        return {
            "one axis more": lambda v: v[..., None],
            "one axis more in front": lambda v: v[None],
            "flat": jnp.ravel,
            "one number": lambda v: jnp.ravel(v)[0],
            "longer": lambda v: jnp.append(v, 1.0),
            "shorter": lambda v: jnp.ravel(v)[:-1],
            "halves": lambda v: v.astype(jnp.float16),
            "singles": lambda v: v.astype(jnp.float32),
            "integers": lambda v: v.astype(jnp.int8),
            "unsigned": lambda v: v.astype(jnp.uint64),
            "bfloat16": lambda v: v.astype(jnp.bfloat16),
            "complex": lambda v: v + 1j,
            "complex, real": lambda v: v + 0j,
            "objects": lambda v: object(),
            "long doubles": lambda v: v,
            "other byte order": lambda v: v,
            "text": lambda v: "text",
            "times": lambda v: np.array(["2020-01-01"], "M8[D]"),
            "records": lambda v: np.zeros(3, [("a", float)]),
            "masked": lambda v: np.ma.masked_array(np.ones(3), [0, 1, 1]),
            "list": lambda v: list(v),
            "a generator": lambda v: (x for x in v),
            "reversed": lambda v: v,
            "a read-only view": lambda v: v,
            "a shape": lambda v: jax.ShapeDtypeStruct(v.shape, v.dtype),
        }.get(change.name, change.call)(value)

    return changed


class Change:
    """A change by its name, so that it can be made of tracers too."""

    def __init__(self, name):
        self.name, self.call = name, CHANGES[name]

    def __call__(self, value):
        return self.call(value) if not isinstance(value, tuple) else _of_tuple(self.name, value)


def _of_tuple(name, value):
    """What a whole answer becomes: other trees, not other numbers."""
    return {
        **WHATEVER,
        "one axis more": lambda v: (v,),
        "flat": lambda v: list(v),
        "longer": lambda v: (*v, v[0]),
        "shorter": lambda v: v[:-1],
        "list": lambda v: list(v),
        "one number": lambda v: 1.0,
        "empty": lambda v: np.empty(0),
        "a generator": lambda v: (x for x in v),
    }.get(name, lambda v: v)(value)


def rules(draw):
    """A derivative is right, or refused, whatever a rule returns."""
    kind, change = draw(st.sampled_from(sorted(RULES))), Change(draw(changes))
    seed, batch = draw(inputs.seeds), draw(inputs.sizes(1, 3))
    x, y = inputs.exact(seed, (*batch, 3)), inputs.exact(seed + 1, (*batch, 3))
    f = _product(lambda f: RULES[kind](f, change if kind.startswith(ON_HOST) else _in_jax(change)))
    transform, want = {
        "reverse": (jax.grad(lambda x, y: f(x, y).sum(), (0, 1)), (y, x)),
        "forward": (lambda x, y: jax.jvp(f, (x, y), (x, y)), (x * y, 2 * x * y)),
        "forward in x": (lambda x, y: jax.jvp(lambda x: f(x, y), (x,), (x,)), (x * y, x * y)),
        "reverse in y": (jax.grad(lambda x, y: f(x, y).sum(), 1), x),
    }[draw(st.sampled_from(["reverse", "forward", "forward in x", "reverse in y"]))]
    for call in (transform, jax.jit(lambda *xs: transform(*xs))):
        got, error = outcome(call, x, y)
        if error is None:
            same(got, jax.tree.map(np.asarray, want), f"{kind}, {change.name}")
        elif not (is_ours(error) or _by_jax(kind, error)):
            raise Wrong(f"{kind}, {change.name}: not an error of ours: {error!r}") from error


def _by_jax(kind, error):
    """JAX has no reverse mode of custom_vjp's kin in forward mode, and says so."""
    return kind.startswith("vjp") and "forward-mode" in str(error)


PROPERTIES = [rules]
