"""Every public function of the catalogue under every transformation. No function is named here."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from tests._kit.days import LONG_TURN
from tests.reference import ours
from tests.reference.entries import catalogue, columns, has_complex, statics
from tests.reference.points import points
from tests.special.test_catalogue import name, ordinary

PUBLIC = [f for f in catalogue().values() if f.public]
CLOSE = {"rtol": 1e-12, "atol": 0.0}


class Case:
    """A function of its differentiable arguments, summed over its outputs, at three ordinary points."""

    def __init__(self, function, is_complex=False):
        chosen = statics(function)[0]
        arrays = columns(function, ordinary(function, 3, is_complex))
        live = [i for i, a in enumerate(function.args) if not ours.is_missing(function, a)]
        self.live, self.smooth = live, [jnp.asarray(arrays[i]) for i in live]
        self.arity = len(live)

        def of(rest):
            def total(*xs):
                y = function(*ours.placed(rest, live, xs), **chosen)
                return sum(y) if function.outs else y

            return total

        self.scalar = of([a[0] for a in arrays])  # of scalars, all other arguments at their first value
        self.arrays = of(arrays)

    def rows(self):
        return list(zip(*self.smooth, strict=True))


def real_part(f):
    return lambda *xs: jnp.real(f(*xs))


def each(test):
    """For every function, once in four weeks: the values and derivatives themselves are tested every time."""
    rotating = pytest.mark.rotating(turn=LONG_TURN)
    return rotating(pytest.mark.parametrize("function", PUBLIC, ids=name)(test))


@each
def test_vmap_over_each_argument_and_nested_is_the_loop(function):
    case = Case(function)
    f = jax.jit(case.scalar)
    for i in range(case.arity):
        axes = [0 if j == i else None for j in range(case.arity)]
        args = [x if j == i else x[0] for j, x in enumerate(case.smooth)]
        loop = [f(*[a[k] if j == i else a for j, a in enumerate(args)]) for k in range(3)]
        np.testing.assert_array_equal(jax.jit(jax.vmap(case.scalar, axes))(*args), np.stack(loop))
    first, rest = case.smooth[0], case.smooth[1:]
    outer = jax.vmap(
        jax.vmap(case.scalar, (None,) + (0,) * len(rest)) if rest else case.scalar, (0,) + (None,) * len(rest)
    )
    table = [[f(x, *ys) for ys in zip(*rest, strict=True)] if rest else f(x) for x in first]
    np.testing.assert_array_equal(jax.jit(outer)(first, *rest), np.array(table))


@each
def test_first_derivatives_agree_in_both_modes_and_under_vmap(function):
    case = Case(function)
    every = tuple(range(case.arity))
    f = real_part(case.scalar)
    batched = jax.jit(jax.vmap(jax.grad(f, every)))(*case.smooth)
    forward = jax.jit(jax.vmap(jax.jacfwd(f, every)))(*case.smooth)
    for b, w in zip(batched, forward, strict=True):
        np.testing.assert_allclose(b, w, **CLOSE)
    row = case.rows()[0]
    single = jax.jit(
        lambda *xs: (jax.grad(f, every)(*xs), jax.jacrev(f, every)(*xs), jax.value_and_grad(f)(*xs))
    )(*row)
    for i, b in enumerate(batched):
        np.testing.assert_allclose([single[0][i], single[1][i]], [b[0]] * 2, **CLOSE)
    assert single[2][0] == f(*row)


@each
def test_jvp_and_vjp_are_transposes(function):
    """Re(ct . J t) = Re(J^T ct . t), for real arguments and for complex ones."""
    for is_complex in (False, True)[: 1 + has_complex(function)]:
        case = Case(function, is_complex)
        generator = np.random.default_rng(1)
        draw = lambda x, g=generator: jnp.asarray(_like(g, x))
        tangents = [draw(x) for x in case.smooth]
        value, out = jax.jvp(case.arrays, case.smooth, tangents)
        cotangent = draw(value)
        back = jax.vjp(case.arrays, *case.smooth)[1](cotangent)
        left = jnp.sum(cotangent * out).real
        right = sum(jnp.sum(b * t).real for b, t in zip(back, tangents, strict=True))
        scale = sum(jnp.sum(jnp.abs(b * t)) for b, t in zip(back, tangents, strict=True))
        assert abs(left - right) <= 1e-12 * scale


def _like(generator, x):
    real = generator.normal(size=x.shape)
    return real + 1j * generator.normal(size=x.shape) if jnp.iscomplexobj(x) else real


@each
def test_hessian_is_symmetric(function):
    case = Case(function)
    if not all(
        ours.exists(function, statics(function)[0], i, *_second(function)) for i in _mixed(case, function)
    ):
        pytest.skip("the entry has no second derivatives")
    every = tuple(range(case.arity))
    f = real_part(case.scalar)
    forward_reverse = jax.jit(jax.hessian(f, every))(*case.rows()[0])
    forward_forward = jax.jit(jax.jacfwd(jax.jacfwd(f, every), every))(*case.rows()[0])
    h = np.array(forward_reverse)
    scale = np.max(np.abs(h))
    np.testing.assert_allclose(h, h.T, rtol=1e-11, atol=1e-13 * scale)
    np.testing.assert_allclose(h, np.array(forward_forward), rtol=1e-11, atol=1e-13 * scale)


def _mixed(case, function):
    """Multi-indices of all second derivatives of the case's arguments."""
    pairs = [(i, j) for i in case.live for j in case.live if i <= j]
    return [tuple((k == i) + (k == j) for k in range(len(function.args))) for i, j in pairs]


def _second(function):
    return columns(function, points(function, False)[:1]), False


@each
def test_control_flow(function):
    case = Case(function)
    row = case.rows()[0]
    last = case.smooth[-1]
    f = lambda x: jnp.real(case.scalar(*row[:-1], x))
    g = jax.jit(jax.vmap(jax.grad(f)))(last)
    values = np.array([f(x) for x in last])

    def scanned(xs):
        return jax.lax.scan(lambda total, x: (total + f(x), f(x)), 0.0, xs)

    def branch(x):
        return jax.lax.cond(x == last[0], f, lambda x: 0.0 * x, x)

    def loop(x):
        return jax.lax.while_loop(lambda s: s[0] < 3, lambda s: (s[0] + 1, s[1] + f(x)), (0, 0.0))[1]

    np.testing.assert_array_equal(jax.jit(scanned)(last)[1], values)
    np.testing.assert_allclose(jax.jit(jax.grad(lambda xs: scanned(xs)[0]))(last), g, **CLOSE)
    np.testing.assert_allclose(jax.jit(jax.grad(branch))(last[0]), g[0], **CLOSE)
    np.testing.assert_allclose(jax.jit(loop)(last[0]), 3 * values[0], rtol=1e-15)
    np.testing.assert_allclose(jax.jit(jax.jacfwd(loop))(last[0]), 3 * g[0], rtol=1e-12)
    np.testing.assert_allclose(jax.jit(jax.grad(jax.checkpoint(f)))(last[0]), g[0], **CLOSE)


@pytest.mark.rotating
@pytest.mark.parametrize("function", [f for f in PUBLIC if has_complex(f) and not f.imaginary], ids=name)
def test_holomorphic_gradient(function):
    """jax.grad(holomorphic=True), and the same number from a tangent in the imaginary direction."""
    case = Case(function, True)
    for i, x in enumerate(case.smooth):
        if jnp.iscomplexobj(x):
            row = case.rows()[0]
            f = lambda z, i=i, row=row: case.scalar(*row[:i], z, *row[i + 1 :])
            slope = jax.jit(jax.grad(f, holomorphic=True))(row[i])
            along = jax.jit(lambda z, f=f: jax.jvp(f, (z,), (1j * jnp.ones_like(z),))[1])(row[i])
            np.testing.assert_allclose(along, 1j * slope, **CLOSE)


NARROW = """
import jax, jax.numpy as jnp, numpy as np
assert not jax.config.jax_enable_x64
from tests.reference import ours
from tests.reference.entries import catalogue, columns, statics
from tests.special.test_catalogue import ordinary
from hostwrap._host.function import WIDE
for number, function in enumerate(catalogue().values()):
    if function.public and number % 6 == {part}:
        chosen = statics(function)[0]
        arrays = columns(function, ordinary(function, 2), np.float32)
        own_loops = isinstance(function.host, np.ufunc)
        seen = arrays if own_loops else [a.astype(WIDE[a.dtype.kind]) for a in arrays]
        with np.errstate(all="ignore"):
            want = function.on_host(*seen, **chosen)
            got = jax.jit(lambda *xs: function(*xs, **chosen))(*arrays)
        for g, w in zip(tuple(got) if function.outs else [got], want if function.outs else [want], strict=True):
            w = np.asarray(w).astype(np.complex64 if np.iscomplexobj(w) else np.float32)
            assert g.dtype == w.dtype, (function, g.dtype)
            np.testing.assert_array_equal(g, w, err_msg=function.name)
        live = [i for i, a in enumerate(function.args) if not ours.is_missing(function, a)]
        point = [a[0] for a in arrays]
        f = lambda *xs: function(*ours.placed(point, live, xs), **chosen)
        total = lambda *xs: jnp.real(sum(f(*xs)) if function.outs else f(*xs))
        slopes = jax.jit(jax.grad(total, tuple(range(len(live)))))(*[np.float32(point[i]) for i in live])
        assert all(s.dtype == np.float32 and np.isfinite(s) for s in slopes), function
print("narrow", "fine")
"""


@pytest.mark.rotating(turn=LONG_TURN)
@pytest.mark.subprocess
@pytest.mark.parametrize("part", range(6))
def test_without_64_bit_types(fresh_python, part):
    code = NARROW.replace("{part}", str(part))
    assert "narrow fine" in fresh_python(code, timeout=400, JAX_ENABLE_X64="0")
