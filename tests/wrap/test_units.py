"""Numbers with a unit, and masked ones, are refused in arguments, results and rules: NumPy drops unit and mask."""

import inspect

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import hostwrap as hw
from hostwrap import special
from hostwrap.special._entry import CATALOGUE


class OfAstropy(np.ndarray):
    """As astropy.units.Quantity: a subclass of the array, with a property of the class."""

    @property
    def unit(self):
        return "km / m"

    def to_value(self, unit):
        return np.asarray(self)


class OfUnyt(np.ndarray):
    """As unyt.unyt_array: a subclass of the array, with an attribute of the object."""

    def __array_finalize__(self, other):
        self.units = "km/m"

    def to_value(self, units):
        return np.asarray(self)


class OfPint:
    """As pint.Quantity: no array, but NumPy and JAX take it for one."""

    def __init__(self, value):
        self.magnitude = np.asarray(value)

    units = property(lambda self: "kilometer / meter")
    dtype = property(lambda self: self.magnitude.dtype)
    shape = property(lambda self: self.magnitude.shape)
    ndim = property(lambda self: self.magnitude.ndim)

    def m_as(self, units):
        return self.magnitude

    def __array__(self, dtype=None, copy=None):
        return np.array(self.magnitude, dtype)


class OfPandas:
    """As a pandas.Series of pint_pandas: the type of the numbers has the unit, an attribute `unit` is data."""

    def __init__(self, value, dtype):
        self.value, self.dtype, self.unit = np.asarray(value), dtype, 3.0
        self.shape, self.ndim = self.value.shape, self.value.ndim

    def __array__(self, dtype=None, copy=None):
        return np.array(self.value, dtype)


class PintType:
    """The type of such a series."""

    units = "km / m"
    kind, char, names, isnative = "f", "d", None, True


class OfMasks(np.ndarray):
    """As astropy.utils.masked.Masked: a subclass of the array that is none of NumPy's masked ones."""

    mask = property(lambda self: np.ones(self.shape, bool))


QUANTITIES = {
    "astropy": lambda v: np.asarray(v).view(OfAstropy),
    "unyt": lambda v: np.asarray(v).view(OfUnyt),
    "pint": OfPint,
}
WAY_OUT = r"a quantity has to be turned into numbers first, in the unit that you mean \(k\w+ ?/ ?m\w* now\), with x\."


@pytest.fixture(params=QUANTITIES)
def quantity(request):
    return QUANTITIES[request.param]


CALLS = {
    "special": special.j0,
    "special, one of two": lambda x: special.jv(1.0, x),
    "elementwise": hw.wrap(lambda x: np.sin(x)),
    "ufunc": hw.wrap(np.sin),
    "signature": hw.wrap("()->()")(lambda x: np.sin(x)),
    "out": hw.wrap(lambda x: np.sin(x), out=jax.ShapeDtypeStruct((), float)),
    "recipe": lambda x: hw.linalg.expm(x * np.ones((2, 2)) if isinstance(x, np.ndarray) else x),
    "io": hw.wrap(lambda x: np.sin(x), effect="io"),
    "debug": hw.wrap(lambda x: None, effect="debug"),
}


@pytest.mark.parametrize("x64", [True, False])
@pytest.mark.parametrize("call", CALLS)
def test_a_quantity_is_no_argument(quantity, call, x64):
    with jax.enable_x64(x64), pytest.raises(hw.SignatureError, match=WAY_OUT):
        CALLS[call](quantity(1.0))


def test_the_error_names_the_argument():
    f = hw.wrap(lambda length, width: length * width)
    with pytest.raises(
        hw.SignatureError, match=r"^<lambda>: `width` must be a number or an array of numbers, got Of"
    ):
        f(1.0, QUANTITIES["astropy"](2.0))


MASKED = {
    "numpy": np.ma.masked_array([1.0, 2.0], [False, True]),
    "astropy": np.array([1.0, 2.0]).view(OfMasks),
}


@pytest.mark.parametrize("x64", [True, False])
@pytest.mark.parametrize("masked", MASKED)
@pytest.mark.parametrize("function", [hw.wrap(lambda x: np.sin(x)), special.j0, special.logsumexp])
def test_a_masked_array_is_no_argument_in_any_precision(function, masked, x64):
    with jax.enable_x64(x64), pytest.raises(hw.SignatureError, match=r"filled first, with x.filled"):
        function(MASKED[masked])


@pytest.mark.parametrize("masked", MASKED)
def test_a_masked_array_is_no_result(masked):
    with pytest.raises(hw.ResultError, match="masked array"):
        hw.wrap("(n)->(n)")(lambda x: MASKED[masked])(np.ones(2))


RESULTS = {
    "elementwise": lambda host: hw.wrap(host),
    "signature": lambda host: hw.wrap("()->()")(host),
    "out": lambda host: hw.wrap(host, out=jax.ShapeDtypeStruct((), float)),
    "nan": lambda host: hw.wrap(host, out=lambda x: jax.ShapeDtypeStruct((), x.dtype), thread_safe=True),
}


@pytest.mark.parametrize("compiled", [False, True])
@pytest.mark.parametrize("way", RESULTS)
def test_a_quantity_is_no_result(quantity, way, compiled):
    f = RESULTS[way](lambda x: quantity(x))
    with pytest.raises(Exception, match=WAY_OUT) as caught:
        jax.block_until_ready((jax.jit(f) if compiled else f)(2.0))
    assert compiled or isinstance(caught.value, hw.ResultError)
    assert "result 0 came as Of" in str(caught.value)


def test_a_list_of_quantities_is_no_result(quantity):
    f = hw.wrap(lambda x: [quantity(1.0), quantity(2.0)], out=jax.ShapeDtypeStruct((2,), float))
    with pytest.raises(hw.ResultError, match=WAY_OUT):
        f(1.0)


@pytest.mark.parametrize("way", ["partial", "jvp", "host", "jacobian"])
def test_a_quantity_is_no_derivative(quantity, way):
    f = hw.wrap(lambda x: np.sin(x))
    if way == "partial":
        f.defpartials(x=lambda ans, x: quantity(1.0))
    elif way == "jvp":
        f.defjvp(lambda primals, tangents: (f(*primals), quantity(1.0)))
    elif way == "host":
        f.defhost(jvp=lambda primals, tangents: quantity(tangents[0]))
    else:
        f.defjacobian(lambda x: quantity(x))
    with pytest.raises(hw.HostwrapError, match=WAY_OUT):
        jax.jvp(f, (1.0,), (1.0,))


def test_an_attribute_that_is_data_is_no_unit():
    """pandas and xarray: `series.unit` is an element."""
    series = OfPandas([0.5, 1.0], np.dtype(float))
    assert series.unit == 3.0
    np.testing.assert_array_equal(
        hw.wrap(lambda x: OfPandas(np.sin(x), x.dtype))(jnp.ones(2)), np.sin(np.ones(2))
    )
    np.testing.assert_array_equal(hw.wrap(lambda x: np.sin(x))(series), np.sin([0.5, 1.0]))
    np.testing.assert_array_equal(special.ndtr(series), special.ndtr(np.array([0.5, 1.0])))


def test_an_array_whose_type_has_the_unit():
    with pytest.raises(hw.ResultError, match="quantity has to be turned"):
        hw.wrap(lambda x: OfPandas(np.sin(x), PintType()))(jnp.ones(2))
    with pytest.raises(hw.SignatureError):
        special.j0(OfPandas([1.0], PintType()))


SOLVERS = {
    "x0": lambda q: hw.optimize.minimize(lambda x: (x**2).sum(), q),
    "x0 of equations": lambda q: hw.optimize.root(lambda x: x - 1, q),
    "x0 in a list": lambda q: hw.optimize.root(lambda x: x - 1, [q, q]),
    "args": lambda q: hw.optimize.root(lambda x, a: x - a, 1.0, args=(q,)),
    "y": lambda q: hw.optimize.isotonic_regression(q),
    "c": lambda q: hw.optimize.linprog(q, bounds=(0, 1)),
}


@pytest.mark.parametrize("way", SOLVERS)
@pytest.mark.parametrize(
    "value", [OfPint([1.0]), np.ones(1).view(OfAstropy), np.ma.masked_array([1.0], [True])]
)
def test_solvers_refuse_them_too(way, value):
    with pytest.raises(hw.SignatureError, match=r"has to be (turned into numbers|filled) first"):
        SOLVERS[way](value)


def made_of_others():
    """(function, number of an argument) of every public function of `special` that is no entry."""
    functions = [getattr(special, n) for n in special.__all__ if n not in CATALOGUE]
    required = lambda f: [p for p in inspect.signature(f).parameters.values() if p.default is p.empty]
    return [(f, i) for f in functions if not isinstance(f, type) for i, _ in enumerate(required(f))]


@pytest.mark.parametrize(("function", "i"), made_of_others(), ids=lambda x: getattr(x, "__name__", str(x)))
@pytest.mark.parametrize("kind", [OfAstropy, OfUnyt, OfPint, np.ma.MaskedArray])
def test_functions_made_of_others_refuse_them_too(function, i, kind):
    numbers = np.array([0.5, 0.25])
    value = kind(numbers) if kind in (OfPint, np.ma.MaskedArray) else numbers.view(kind)
    given = [p for p in inspect.signature(function).parameters.values() if p.default is p.empty]
    args = [value if k == i else 1 for k, _ in enumerate(given)]
    with pytest.raises(hw.SignatureError, match="must be a number or an array of numbers"):
        function(*args)
