"""`hostwrap.fft`: SciPy's bits, and derivatives by differences of them."""

import doctest
import functools

import jax
import numpy as np
import pytest
import scipy.fft

import hostwrap as hw
from hostwrap import fft
from hostwrap.fft import _hankel as hankel
from tests._kit import scipys
from tests._kit.scipys import Case
from tests._kit.toys import same

random = np.random.default_rng(3)
X, TABLE = random.normal(size=(3, 6)), random.normal(size=(4, 5))
NORMS = (None, "backward", "forward", "ortho")
CASES = [
    Case(name, (X,), {"type": type, "norm": norm, "orthogonalize": orthogonal, "n": n})
    for name in ("dct", "idct", "dst", "idst")
    for type in (1, 2, 3, 4)
    for norm, orthogonal, n in (
        (None, None, None),
        ("ortho", False, 8),
        ("forward", True, 4),
        ("ortho", None, None),
    )
]
CASES += [
    Case(name, (TABLE,), {"type": type, "norm": norm, "s": s})
    for name, s in (("dctn", None), ("idctn", (3, 6)), ("dstn", (4,)), ("idstn", None))
    for type, norm in ((2, None), (3, "forward"), (1, "ortho"))
]
CASES += [
    Case("dct", (TABLE + 1j * TABLE**2,), {"axis": 0}),
    Case("dctn", (TABLE,), {"axes": (0,), "type": 3}),
]
every = pytest.mark.parametrize("case", **scipys.each(CASES))


def test_every_function_is_tested():
    assert {case.name for case in CASES} | {"fht", "ifht", "hfft2", "hfftn", "ihfft2", "ihfftn"} == set(
        fft.__all__
    )


@every
@pytest.mark.rotating
def test_values_and_transposes(case):
    scipys.bits(fft, scipy.fft, case)
    f = case.of(fft)
    if np.iscomplexobj(case.args[0]):
        return
    units = np.eye(case.args[0].size).reshape(-1, *case.args[0].shape)
    columns = np.stack([case.of(scipy.fft)(u) for u in units], -1)
    for transform in (jax.jacfwd, jax.jacrev):
        got = jax.jit(transform(f))(*case.point)
        same(got, columns.reshape(got.shape), 1e-14)


@pytest.mark.parametrize("case", **scipys.each(CASES[-4:]))
@pytest.mark.rotating
def test_derivatives_batches_and_single_precision(case):
    scipys.derivatives(fft, scipy.fft, case)
    scipys.batches(fft, case)
    scipys.narrow(fft, case)


def test_complex_numbers_are_weighted_as_real_ones():
    """SciPy itself leaves `orthogonalize` out for them."""
    z = X + 1j * X**2
    for name, norm in (("dct", "ortho"), ("idst", None)):
        f = lambda x, name=name, norm=norm: getattr(fft, name)(x, 2, norm=norm, orthogonalize=norm is None)
        same(f(z), f(z.real) + 1j * f(z.imag), 1e-15)


def test_the_examples_say_what_comes_out():
    found = doctest.testmod(fft)
    assert found.attempted and not found.failed


def test_what_does_not_fit_is_refused():
    with pytest.raises(hw.SignatureError, match="dct: `x` must be a number or an array"):
        fft.dct("cat")
    with pytest.raises(ValueError, match="Invalid norm value"):
        fft.dct(X, norm="half")


@pytest.mark.parametrize("n", [8, 7])
@pytest.mark.parametrize("name", ["fht", "ifht"])
@pytest.mark.rotating
def test_hankel_transforms_in_all_that_they_depend_on(name, n):
    case = Case(name, (random.normal(size=n), *map(np.array, (0.2, 0.7, 0.1, 0.3))), {}, 5, 0.002)
    scipys.bits(fft, scipy.fft, case)
    scipys.derivatives(fft, scipy.fft, case)


def test_the_examples_of_hankel_transforms_print_what_they_say():
    found = doctest.testmod(hankel)
    assert found.attempted and not found.failed


@pytest.mark.parametrize("name", ["hfft2", "hfftn", "ihfft2", "ihfftn"])
@pytest.mark.parametrize("given", [{}, {"norm": "ortho"}, {"s": (3, 7)}, {"norm": "forward", "axes": (0, 1)}])
@pytest.mark.rotating
def test_hermitian_spectra(name, given):
    """They are linear over the reals: forward they are themselves, and backward the transpose of that."""
    ours, theirs = (functools.partial(getattr(m, name), **given) for m in (fft, scipy.fft))
    x = TABLE if name.startswith("i") else TABLE + 1j * TABLE[::-1]
    same(ours(x), jax.numpy.asarray(theirs(x)), 1e-15)
    moved = jax.jvp(ours, (x,), (x[::-1],))[1]
    same(moved, jax.numpy.asarray(theirs(x[::-1])), 1e-13)
    y, pull = jax.vjp(ours, x)
    c = np.cos(np.arange(y.size)).reshape(y.shape) + 0 * y
    same((c * moved).sum().real, (pull(c)[0] * x[::-1]).sum().real, 1e-13)
