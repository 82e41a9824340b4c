"""The recipes of docs/recipes.md: against their neighbours by hand, and differences of their values."""

import functools

import jax
import jax.numpy as jnp
import numpy as np
import pytest
import scipy.fft
import scipy.integrate
import scipy.interpolate
import scipy.linalg
import scipy.ndimage
import scipy.special
import scipy.stats

from docs.generate import recipes
from hostwrap._rules.differences import slope
from tests._kit.toys import same

TEXT = recipes.PAGE.read_text(encoding="utf-8")
COUNTED = recipes.counted(TEXT)

random = np.random.default_rng(0)
POINTS = random.uniform(-1.0, 1.0, (9, 2))
# arguments, those to differentiate in, and the value that SciPy gives
CASES = {
    "tail": ((np.array([2.0, 90.0]), 2.3), (0, 1), lambda x, a: scipy.stats.gamma.sf(x, a)),
    "wave": (
        (0.1, 2.0, 1.3, 0.7),
        (0, 1, 2, 3),
        lambda lo, up, a, b: scipy.integrate.quad(lambda x: np.exp(-a * x**2) * np.cos(b * x), lo, up)[0],
    ),
    "chain": (
        (np.array([1.0, 0.5]), np.linspace(0.0, 2.0, 3), 0.9),
        (0, 2),
        lambda y0, t, k: (
            scipy.integrate.solve_ivp(
                lambda s, y: [-k * y[0], k * y[0] - s * y[1]],
                (0, 2),
                y0,
                t_eval=t,
                rtol=1e-12,
                atol=1e-12,
                method="DOP853",
            ).y
        ),
    ),
    "exponential": ((random.normal(size=(3, 3)),), (0,), lambda a: scipy.linalg.expm(a)),
    "transform": ((random.normal(size=5),), (0,), lambda x: scipy.fft.dst(x, norm="ortho")),
    "median": ((random.normal(size=8),), (0,), lambda x: scipy.stats.mstats.hdmedian(x).item()),
    "surface": (
        (POINTS, random.normal(size=9), POINTS[:4].mean(0)),
        (0, 1, 2),
        lambda s, v, p: scipy.interpolate.LinearNDInterpolator(s, v)(p).item(),
    ),
    "sample": (
        (random.normal(size=(6, 5)), random.uniform(0.1, 3.9, (2, 3))),
        (0, 1),
        lambda image, at: scipy.ndimage.map_coordinates(image, at),
    ),
    "erf": ((np.array([-0.3, 1.2]),), (0,), lambda x: scipy.special.erf(x)),
    "spring_energy": ((random.normal(size=6),), (0,), lambda x: ((np.diff(x) - 1) ** 4).sum()),
    "simulator": ((np.array([0.5, 2.0]),), (0,), lambda p: np.sin(p[0]) * p[1] ** 2),
}
TOLERANCE = {"chain": 1e-6}  # its own
TWICE = ("tail", "wave", "exponential", "erf", "transform")


@functools.cache
def page():
    """What the code of the page defines."""
    names = {}
    exec("\n".join(recipes.BLOCK.findall(TEXT)), names)
    return names


def test_every_recipe_is_tested():
    assert [name for _, name, *_ in COUNTED] == list(CASES)


def test_the_table_of_lines_is_up_to_date():
    assert recipes.with_table(TEXT) == TEXT


@pytest.mark.parametrize(("title", "name", "ours", "by_hand"), COUNTED)
def test_a_recipe_is_a_third_of_the_same_by_hand(title, name, ours, by_hand):
    assert 3 * ours <= by_hand


@pytest.mark.parametrize("name", CASES)
@pytest.mark.rotating
def test_values_and_derivatives(name):
    """jacfwd and jacrev, compiled, against the same by hand and against differences of SciPy's values."""
    args, every, scipys = CASES[name]
    ours, by_hand = page()[name], page()[f"{name}_by_hand"]
    tolerance = TOLERANCE.get(name, 1e-11)
    same(ours(*args), jnp.asarray(scipys(*args)), tolerance)
    forward, backward = (jax.jit(mode(ours, every)) for mode in (jax.jacfwd, jax.jacrev))
    rows = forward(*args)
    same(backward(*args), rows, 1e-12)
    other = jax.jit(jax.jacrev(by_hand, every))
    same(rows, other(*args), 1e-7 if name == "chain" else 1e-11)
    steps = {i: np.random.default_rng(i).normal(size=np.shape(args[i])) for i in every}

    def moved(h):
        return np.asarray(scipys(*(x + h * steps.get(i, 0.0) for i, x in enumerate(args))))

    exact, _ = slope(moved, 0.02)
    along = sum(np.tensordot(row, steps[i], np.ndim(steps[i])) for row, i in zip(rows, every, strict=True))
    np.testing.assert_allclose(
        along, exact, rtol=max(tolerance, 1e-8), atol=1e-40 if name == "tail" else 1e-9
    )


@pytest.mark.parametrize("name", CASES)
@pytest.mark.rotating
def test_gradients_in_batches_are_those_of_a_loop(name):
    args, every, _ = CASES[name]
    function = page()[name]
    gradient = jax.jit(jax.grad(lambda *a: jnp.sum(function(*a) ** 2), every))
    batches = [jnp.stack([x, 1.01 * jnp.asarray(x)]) for x in args]
    many = jax.jit(jax.vmap(jax.grad(lambda *a: jnp.sum(function(*a) ** 2), every)))
    loop = [gradient(*(b[i] for b in batches)) for i in range(2)]
    same(many(*batches), jax.tree.map(lambda *g: jnp.stack(g), *loop), 1e-9)


@pytest.mark.parametrize("name", TWICE)
def test_second_derivatives_against_differences_of_the_first(name):
    args, function = CASES[name][0], page()[name]
    steps = [0.1 * np.random.default_rng(i).normal(size=np.shape(x)) for i, x in enumerate(args)]

    def first(t):
        moved = tuple(x + t * d for x, d in zip(args, steps, strict=True))
        return jnp.sum(jax.jvp(function, moved, tuple(map(jnp.asarray, steps)))[1] ** 2)

    compiled = jax.jit(first)
    exact, _ = slope(lambda t: np.asarray(compiled(t)), 0.1)
    forward, backward = jax.jit(jax.jacfwd(first)), jax.jit(jax.grad(first))
    same((forward(0.0), backward(0.0)), (jnp.asarray(exact),) * 2, 1e-8)


def test_a_run_of_the_simulator_gives_value_and_gradient(monkeypatch):
    runs, run = [], page()["run"]
    monkeypatch.setitem(page(), "run", lambda p: runs.append(p) or run(p))
    compiled = jax.jit(jax.value_and_grad(page()["simulator"]))
    compiled(jnp.array([0.1, 1.0]))
    assert len(runs) == 1


def test_outside_of_the_triangles_the_surface_is_nan():
    assert np.isnan(page()["surface"](POINTS, POINTS[:, 0], np.array([5.0, 5.0])))
