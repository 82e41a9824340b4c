"""Where the derivative of a function of SciPy comes from, found by trying: an example, differentiated in each way.

An example is an expression of a file in docs/generate/scipy_examples, a line for each function. Its single letters are
the arrays below; the derivative is taken in all of them at once, along one direction, forward and backward, and
compared with differences of SciPy's values. What stands behind ` || ` is for `hostwrap`, where its call differs.
"""

from __future__ import annotations

import ast
import contextlib
import dataclasses
import functools
import importlib
import inspect
import pathlib
import re
import types
import warnings
from collections.abc import Callable, Iterator, Mapping
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import scipy.sparse
import scipy.stats

import hostwrap as hw
from hostwrap._rules.differences import slope
from tests._kit.clock import ending

EXAMPLES = pathlib.Path(__file__).parent / "scipy_examples"
WAYS = ("jax", "hostwrap", "automatic")
# where each way looks for a function of a module, beside its own name there
MORE = {
    "jax.scipy.fft": ["jax.numpy.fft"],
    "jax.scipy.sparse.linalg": ["jax.experimental.sparse.linalg"],
}
SECONDS = 60
_random = np.random.default_rng(7)


def _matrices() -> dict[str, np.ndarray]:
    A, B, C, D = _random.normal(size=(4, 4, 4))
    return {
        "A": A + 4 * np.eye(4),
        "B": B + 3 * np.eye(4),
        "S": C @ C.T + np.eye(4),
        "H": D @ D.T + np.eye(4),
    }


VALUES: dict[str, Any] = {
    "p": np.float64(0.7), "q": np.float64(1.3),
    **{name: _random.uniform(0.5, 1.5, 3) for name in "uv"},
    "a": np.array([3.1, 0.4, -0.7, 0.9]), "b": np.array([3.1, 1.2, 0.6, 2.3]),  # for toeplitz equal in front
    "d": np.array([1.1, 2.9, 0.4, 3.2, 2.2, 0.9]),
    "x": np.sort(_random.uniform(0.1, 3.0, 8)), "y": _random.uniform(0.5, 2.5, 8),
    "w": _random.uniform(0.5, 1.5, 8), "z": np.array([0.6, 0.9, 1.2, 1.7, 2.1]),
    **{name: _random.normal(size=40) for name in "sn"},
    **_matrices(),
    **{name: _random.uniform(0.2, 2.0, (6, 3)) for name in "MN"},
    "P": np.concatenate([_random.normal(size=(6, 2)), [[0.1, 0.15]]]), "Q": _random.normal(size=(7, 2)),
    **{name: _random.normal(size=(6, 7)) for name in "XY"},
    "W": _random.normal(size=(3, 3)) + np.eye(3), "G": _random.uniform(1.0, 3.0, (3, 3)),
    "E": np.array([[0.0, 1, 2, 1], [5, 6, 7, 5], [1, 2, 1, 0]]) + 0.1, "F": np.array([[4.0, 5, 4, 6], [1, 2, 1, 0]]),
    "T": np.random.default_rng(1).uniform(size=(6, 7)) > 0.3,
}  # fmt: skip
HELD = {"T"}
SYMMETRIC = {"S", "H"}


@dataclasses.dataclass(frozen=True)
class Example:
    """A function of SciPy's, and an expression that uses it."""

    module: str
    function: str
    text: str
    ours: str = ""

    def in_words(self, words: Mapping[str, Any], way: str = "") -> tuple[Callable, list[str]]:
        """The expression as a function of the arrays in it, and their names."""
        text = self.ours if way == "hostwrap" and self.ours else self.text
        names = sorted(set(_free(ast.parse(self.text, mode="eval"))) & set(VALUES))
        return eval(f"lambda {', '.join(names)}: {text}", dict(words)), names


def _free(node: ast.AST, bound: frozenset[str] = frozenset()) -> Iterator[str]:
    """Names that are not those of a lambda's arguments."""
    if isinstance(node, ast.Lambda):
        bound |= {x.arg for x in node.args.args}
    if isinstance(node, ast.Name) and node.id not in bound:
        yield node.id
    for child in ast.iter_child_nodes(node):
        yield from _free(child, bound)


def read() -> tuple[dict[str, list[Example]], dict[str, dict[str, str]]]:
    """For each module its examples, and the functions without a sensible derivative: their reasons."""
    examples: dict[str, list[Example]] = {}
    senseless: dict[str, dict[str, str]] = {}
    for file in sorted(EXAMPLES.glob("*.txt")):
        module = ""
        for line in file.read_text(encoding="utf-8").splitlines():
            if line.startswith("# "):
                module = line[2:]
                examples[module], senseless[module] = [], {}
            elif line.startswith("- "):
                why, _, names = line[2:].rpartition(": ")
                senseless[module] |= dict.fromkeys(names.split(), why)
            elif line:
                match = re.match(r"(\w+): ", line)
                text, _, ours = (line[match.end() :] if match else line).partition(" || ")
                examples[module].append(Example(module, re.findall(r"\w+", line)[0], text, ours))
    return examples, senseless


def public(module: str) -> dict[str, Any]:
    """The functions and classes of a module of SciPy; distributions have a table of their own."""
    home = importlib.import_module(module)
    distributions = (scipy.stats.rv_continuous, scipy.stats.rv_discrete)
    found = {}
    for name in home.__all__:
        x = getattr(home, name)
        own = isinstance(x, type) or not isinstance(x, distributions)
        joint = "multivariate" in type(x).__module__
        if callable(x) and own and not joint and not isinstance(x, types.ModuleType | np.ufunc):
            found[name] = x
    return found


def is_said_no(x: Any) -> str:
    """Errors and warnings say of themselves that they have no derivative."""
    return "an error or a warning" if inspect.isclass(x) and issubclass(x, BaseException) else ""


# ---- one trial


def _words(module: str) -> dict[str, Any]:
    home = importlib.import_module(module)
    return {
        **vars(home),
        "np": np,
        "numpy": np,
        "dense": scipy.sparse.csc_array,
        "norm": getattr(home, "norm", None),
        "Halton": scipy.stats.qmc.Halton,
    }


def _of_way(example: Example, way: str) -> Callable | None:
    """The example in JAX; None where this way has no function of this name."""
    words = _words(example.module)
    if way == "automatic":
        f, names = example.in_words(words)
        result = f(*(VALUES[n] for n in names))
        out = jax.tree.map(lambda r: jax.ShapeDtypeStruct(np.shape(r), np.asarray(r).dtype), result)
        return hw.wrap(f, out=out)
    place = example.module.replace("scipy", "jax.scipy" if way == "jax" else "hostwrap", 1)
    for home in (place, *MORE.get(place, [])):
        with contextlib.suppress(ImportError):
            own = importlib.import_module(home)
            if way == "hostwrap" and example.function not in dir(own):
                continue  # its module leads to JAX's function, or follows SciPy's code
            if (found := getattr(own, example.function, None)) is not None:
                there = {
                    k: v for k, v in vars(importlib.import_module(home)).items() if not k.startswith("_")
                }
                words |= {k: there.get(k, v) for k, v in words.items()}
                words |= {example.function: found, "np": jnp, "dense": lambda A: A}
                return example.in_words(words, way)[0]
    return None


def _flat(result: Any, xp: Any) -> Any:
    """All floating-point numbers of a result; the parts of complex ones side by side."""
    parts = [xp.ravel(xp.asarray(r)) for r in jax.tree.leaves(result)]
    parts = [p for p in parts if p.dtype.kind in "fc"]
    parts = [xp.concatenate([p.real, p.imag]) if p.dtype.kind == "c" else p for p in parts]
    return xp.concatenate(parts)


class Wrong(Exception):
    """A derivative that is there, but not the one that differences have."""


def tried(example: Example, way: str) -> str:
    """`yes`, "" without such a function, or why the derivative is not there."""
    try:
        late = ending(SECONDS, TimeoutError(f"it takes more than {SECONDS} s"), "REAL")
        with warnings.catch_warnings(), np.errstate(all="ignore"), late:
            warnings.simplefilter("ignore")
            f = _of_way(example, way)
            if f is None:
                return ""
            agrees(example, f)
    except Exception as error:
        text = f"{type(error).__name__}: {error}".splitlines()[0]
        return re.sub(r"<string>:\d+|<lambda>|0x\w+|/\S*/", "", text)[:200]
    return "yes"


def agrees(example: Example, f: Callable) -> None:
    """Compares value and derivative in both modes with SciPy's; raises what there is to say."""
    theirs, names = example.in_words(_words(example.module))
    point = [VALUES[n] for n in names]
    random = np.random.default_rng(3)
    steps = [
        np.zeros(()) if n in HELD else random.normal(size=np.shape(x))
        for n, x in zip(names, point, strict=True)
    ]
    steps = [d + d.T if n in SYMMETRIC else d for n, d in zip(names, steps, strict=True)]
    moving = [i for i, n in enumerate(names) if n not in HELD]

    def moved(t: float) -> Any:
        return [
            x + t * np.asarray(d) if i in moving else x
            for i, (x, d) in enumerate(zip(point, steps, strict=True))
        ]

    value = _flat(theirs(*point), np)
    weights = random.normal(size=value.shape)
    exact, error = slope(lambda t: _flat(theirs(*moved(t)), np), 0.02)
    expected, doubt = float(weights @ exact), float(np.abs(weights) @ error)
    scale = float(np.abs(weights) @ np.abs(exact))
    if not 0 < scale < np.inf or not doubt < 1e-2 * scale:
        raise Wrong(
            f"differences of the example do not say its derivative: {expected:.3g} with error {doubt:.1g}"
        )

    def number(*xs: Any) -> Any:
        given = list(point)
        for i, x in zip(moving, xs, strict=True):
            given[i] = x
        return weights @ _flat(f(*given), jnp)

    xs = [jnp.asarray(point[i]) for i in moving]
    along = [jnp.asarray(steps[i]) for i in moving]

    @functools.partial(jax.jit, compiler_options={"xla_backend_optimization_level": 0})
    def both(xs: Any) -> Any:
        gradient = jax.grad(number, tuple(range(len(xs))))(*xs)
        return jax.jvp(number, xs, along), sum(jnp.sum(g * d) for g, d in zip(gradient, along, strict=True))

    (got, forward), backward = both(xs)
    _compare("the value is", got, weights @ value, float(np.abs(weights) @ np.abs(value)), 0.0)
    _compare("forward", forward, expected, scale, doubt)
    _compare("backward", backward, expected, scale, doubt)


def in_single_precision(example: Example) -> dict[str, Any]:
    """The arrays of value and gradient of hostwrap's function without `jax_enable_x64`, as compiled; by their names."""
    f = _of_way(example, "hostwrap")
    assert f is not None
    names = example.in_words(_words(example.module))[1]
    point = [_single(VALUES[n]) for n in names]
    moving = [i for i, n in enumerate(names) if n not in HELD]

    def number(*xs: Any) -> Any:
        given = list(point)
        for i, x in zip(moving, xs, strict=True):
            given[i] = x
        found = f(*given)
        return jnp.sum(_flat(found, jnp)), found

    with jax.enable_x64(False), np.errstate(all="ignore"):
        both = jax.jit(jax.value_and_grad(number, tuple(range(len(moving))), has_aux=True))
        (value, found), slopes = both(*(jnp.asarray(point[i]) for i in moving))
        parts = {f"result {i}": x for i, x in enumerate(jax.tree.leaves(found))}
        return parts | {"value": value} | {f"d{names[i]}": s for i, s in zip(moving, slopes, strict=True)}


def _single(x: np.ndarray) -> Any:
    return np.float32(x) if np.asarray(x).dtype == np.float64 else x


def _compare(what: str, got: Any, expected: Any, scale: float, doubt: float) -> None:
    if not abs(float(got) - float(expected)) <= 1e-5 * scale + 10 * doubt:
        raise Wrong(f"{what} {float(got):.7g}, differences of SciPy say {float(expected):.7g}")


def ways(example: Example) -> dict[str, str]:
    """What came of each way; what has a function already is not followed."""
    found = {way: tried(example, way) for way in ("jax", "hostwrap")}
    found["automatic"] = "" if "yes" in found.values() else tried(example, "automatic")
    return found
