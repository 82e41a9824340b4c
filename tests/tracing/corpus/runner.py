"""What comes of a row: its derivatives traced or recorded, refused and why, or wrong."""

import dataclasses
import importlib
import re
import warnings
import zlib

import jax
import jax.numpy as jnp
import numpy as np

import hostwrap as hw
from tests._kit.clock import ending
from tests.tracing.corpus.differences import Jacobian, jacobian
from tests.tracing.corpus.row import Row

FILES = (
    "numpys", "scipys", "distributions", "textbook", "science", "everyday", "styles", "research", "habits", "nature",
    "machines", "ledgers", "libraries", "courses", "idioms", "instruments", "trades", "faculties", "crafts",
    "guilds", "fields", "workshops", "shelves",
)  # fmt: skip
WORKS = ("traced", "recorded")
TOLERANCE = 1e-6  # of a derivative, beyond the estimated error of the differences
ROUGH = 1e-4  # error of differences that say too little: the function has a kink or a jump there
PATIENCE = 120  # seconds of the processor, so that outcomes do not depend on what else the machine does


class OutOfTimeError(BaseException):
    """A row takes more than `PATIENCE`. Nobody else catches it: the code of a row may catch every `Exception`."""


def rows() -> list[Row]:
    return [row for file in FILES for row in importlib.import_module(f"tests.tracing.corpus.{file}").ROWS]


@dataclasses.dataclass(frozen=True)
class Outcome:
    """`way`: traced, recorded, refused, rough (differences say too little); or what must not be: wrong, crash, slow.

    `nan` are NaN where differences are numbers, which the limits in docs/automatic.md tell of; other numbers are right.
    """

    way: str
    why: str = ""
    second: str = ""  # second derivatives: right, refused, wrong; or nothing, where they were not asked for


def attempt(row: Row, seed: int | None = 0, second: bool | None = None) -> Outcome:
    """What comes of a row, with numbers near its own that depend on the seed; `second` also looks at second
    derivatives, which else each fifth row does."""
    try:
        with warnings.catch_warnings(), np.errstate(all="ignore"), ending(PATIENCE, OutOfTimeError, "PROF"):
            warnings.simplefilter("ignore")
            return _outcome(row, seed, zlib.crc32(row.id.encode()) % 5 == 0 if second is None else second)
    except OutOfTimeError:
        return Outcome("slow", f"more than {PATIENCE} s")


def _outcome(row: Row, seed: int | None, second: bool) -> Outcome:
    """Value, all first derivatives by reverse mode, along one direction by forward mode; second ones along it.

    A wrong number in the Jacobian of forward mode is in the product with a direction without zeros, too, and the
    product compiles in a fraction of the time.
    """
    arguments = row.drawn(seed)
    function, point = numbers(row.called, arguments)
    want, value = jacobian(function, point), function(point)
    if not np.all(want.error <= ROUGH * (np.abs(want.value).max() + np.abs(value).max())):
        return Outcome("rough", f"the differences have an error of {want.error.max():.1g}")
    direction = np.cos(np.arange(point.size) + 1) * np.where(point == 0, 1.0, np.abs(point))
    try:
        ours = in_jax(row, arguments)
        backward = np.asarray(jax.jit(jax.jacrev(ours))(point))
        given, forward = map(np.asarray, jax.jit(lambda x: jax.jvp(ours, (x,), (direction,)))(point))
    except Exception as error:
        return _refused(error)
    if not np.allclose(given, value, rtol=1e-13, atol=1e-14, equal_nan=True):
        return Outcome("wrong", f"value {given}, not {value}")
    along = Jacobian(want.value @ direction[:, None], want.error @ np.abs(direction)[:, None])
    for mode, found, wanted, at in (
        ("reverse", backward, want, point),
        ("forward", forward[:, None], along, np.ones(1)),
    ):
        if said := difference(found, wanted, value, at):
            numbers_right = not difference(np.where(np.isnan(found), wanted.value, found), wanted, value, at)
            return Outcome("nan" if numbers_right else "wrong", f"{mode}: {said}")
    return Outcome(way_of(row, arguments), second=_second(ours, point, direction) if second else "")


def _second(ours, point, direction):
    """The derivative of the Jacobian along one direction, beside differences of the Jacobian, which is right."""
    first = jax.jit(jax.jacrev(ours))
    try:
        found = np.asarray(jax.jit(lambda x: jax.jvp(jax.jacrev(ours), (x,), (direction,))[1])(point))
    except Exception as error:
        return _refused(error).way
    want = jacobian(lambda t: np.ravel(first(point + (t[0] - 1) * direction)), np.ones(1))
    said = difference(np.ravel(found)[:, None], want, np.ravel(first(point)), np.ones(1), 1e-5)
    return f"wrong: {said}" if said else "right"


def difference(found, want, value, point, tolerance=TOLERANCE) -> str:
    """Where a Jacobian is not that of differences; nothing where it is."""
    size = np.where(point == 0, 0.1, np.abs(point))
    whole = (np.abs(want.value) * size).max(
        axis=1, keepdims=True
    ) / size  # of a row, in the units of a column
    allowed = (
        tolerance * (np.abs(want.value) + 1e-2 * whole) + 4 * want.error + 1e-12 * np.abs(value).max() / size
    )
    bad = ~(np.abs(found - want.value) <= allowed)
    if not bad.any():
        return ""
    i, j = np.argwhere(bad)[0]
    numbers = f"{found[i, j]:.9g}, not {want.value[i, j]:.9g} ± {want.error[i, j]:.1g}"
    return f"d result[{i}] / d argument[{j}] = {numbers}; {bad.sum()} of {bad.size} differ"


# ---- the function, of all numbers at once


def numbers(function, arguments):
    """The function from the vector of all numbers of its arguments to that of its result, and that vector."""
    shapes = [np.shape(x) for x in arguments]
    ends = np.cumsum([int(np.prod(shape)) for shape in shapes])

    def flat(vector):
        parts = [part.reshape(shape) for part, shape in zip(np.split(vector, ends[:-1]), shapes, strict=True)]
        return vector_of(function(*[part.copy() if part.ndim else float(part) for part in parts]))

    return flat, np.concatenate([np.ravel(x) for x in arguments])


def vector_of(result):
    leaves = [np.ravel(np.asarray(leaf)) for leaf in jax.tree.leaves(result)]
    parts = [
        part for leaf in leaves for part in ([leaf.real, leaf.imag] if leaf.dtype.kind == "c" else [leaf])
    ]
    return np.concatenate([part.astype(float) for part in parts])


def in_jax(row, arguments):
    """The same function of a vector, by the wrapped function."""
    shapes = [np.shape(x) for x in arguments]
    ends = np.cumsum([int(np.prod(shape)) for shape in shapes])
    wrapped = wrap(row, arguments)

    def flat(vector):
        parts = [
            part.reshape(shape) for part, shape in zip(jnp.split(vector, ends[:-1]), shapes, strict=True)
        ]
        leaves = [jnp.ravel(leaf) for leaf in jax.tree.leaves(wrapped(*parts))]
        parts = [
            part
            for leaf in leaves
            for part in ([leaf.real, leaf.imag] if jnp.iscomplexobj(leaf) else [leaf.astype(float)])
        ]
        return jnp.concatenate(parts)

    return flat


def wrap(row, arguments):
    """As a user would: elementwise where all are numbers, else with the shapes of the result."""
    result = row.called(*arguments)
    leaves = jax.tree.leaves(result)
    numbers_alone = not any(map(np.ndim, (*arguments, *leaves))) and len(leaves) == 1
    if row.elementwise or (numbers_alone and not np.iscomplexobj(result)):
        return hw.wrap(row.called)
    return hw.wrap(
        out=jax.tree.map(lambda x: jax.ShapeDtypeStruct(np.shape(x), np.asarray(x).dtype), result)
    )(row.called)


# ---- errors


def way_of(row, arguments) -> str:
    return hw.explain(wrap(row, arguments), *arguments).way  # one of WORKS, for the derivative is there


def _refused(error) -> Outcome:
    ours = error
    if isinstance(error, jax.errors.JaxRuntimeError):
        ours = hw.last_error() or error
    if isinstance(ours, hw.HostwrapError):
        return Outcome("refused", _text(ours))
    return Outcome("crash", f"{type(error).__name__}: {_text(error)}")


def _text(error) -> str:
    """In one line, without the folders of this machine."""
    return re.sub(r"(/[\w.+-]+)+/(?=[\w.-]+)", "", " ".join(str(error).split()))[:300]
