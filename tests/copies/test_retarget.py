"""A copy of a function that reaches other things than the original: what is followed, what is left alone, by whom."""

import abc
import builtins
import functools
import math
import threading
import typing

import numpy as np
import pytest
import scipy.stats

from hostwrap._copies.retarget import Untraceable, retargeted, where

NUMBER = 1.0
TABLE = {"sine": np.sin}
HISTORY = []


def exchanged(x):
    """In place of the sine: something that nobody takes for it."""
    return x + 1000


def replace(x):
    return exchanged if x is np.sin or x is math.sin else x


def helper(x):
    return np.sin(x)


def by_global(x):
    return helper(x)


def by_attribute(x):
    return np.sin(x) + 0 * np.linalg.norm([x])


def by_math(x):
    return math.sin(x)


def by_import(x):
    from numpy import sin

    return sin(x)


def by_import_of_module(x):
    import numpy.linalg as other

    return numpy_of(other).sin(x)


def numpy_of(module):
    return np if module.norm else None


def by_table(x):
    return TABLE["sine"](x)


def by_default(x, sine=np.sin):
    return sine(x)


def by_keyword(x, *, sine=np.sin):
    return sine(x)


def by_lambda(x):
    return (lambda y: sum(np.sin(y) for _ in range(1)))(x)


def by_recursion(x, n=2):
    return np.sin(x) if n == 0 else by_recursion(x, n - 1)


def enclosing():
    sine = np.sin

    def inner(x):
        return sine(x)

    def again(x, n=2):
        return inner(x) if n == 0 else again(x, n - 1)

    return again


def decorator(f):
    @functools.wraps(f)
    def decorated(*args):
        return f(*args)

    return decorated


class Base:
    def value(self, x):
        return np.sin(x)


class Middle(abc.ABC, Base):
    factor = 1

    @abc.abstractmethod
    def more(self): ...

    def value(self, x):
        return super().value(x) * self.factor


class Model(Middle):
    def __init__(self, shift=0):
        self.shift = shift
        self.count = 0

    def more(self): ...

    def value(self, x):
        self.count += 1
        return super().value(x) + self.shift

    @property
    def half(self):
        return np.sin(0.0) / 2

    @functools.cached_property
    def third(self):
        return np.sin(0.0) / 3

    @staticmethod
    def static(x):
        return np.sin(x)

    @classmethod
    def of_class(cls, x):
        return cls().value(x)

    __call__ = value


class Slots:
    __slots__ = ("a",)

    def __init__(self):
        self.a = 2

    def value(self, x):
        return np.sin(x) + 0 * self.a


MODEL = Model()


def by_object(x):
    return MODEL.value(x)


def by_class(x):
    model = Model()
    assert isinstance(model, Model) and isinstance(model, Base) and issubclass(Model, Base)
    assert isinstance(MODEL, (Model, int)) and not isinstance(MODEL, int | str)
    return model.value(x)


FUNCTIONS = [
    np.sin, by_global, by_attribute, by_math, by_import, by_import_of_module, by_table, by_default, by_keyword,
    by_lambda, by_recursion, enclosing(), decorator(np.sin), decorator(by_global), functools.partial(by_default),
    functools.lru_cache(by_global), functools.partial(by_default, sine=np.sin), MODEL, MODEL.value, MODEL.static,
    MODEL.of_class, Model.static, Slots().value, by_object, by_class, lambda x: MODEL.half * 2 + x,
    lambda x: Model().third * 3 + x,
]  # fmt: skip


@pytest.mark.parametrize("f", FUNCTIONS, ids=range(len(FUNCTIONS)))
def test_every_way_to_a_function_leads_to_what_stands_in_its_place(f):
    before = f(2.0)
    for _ in range(2):
        assert retargeted(f, replace)(2.0) == pytest.approx(1002.0)
    assert f(2.0) == before


def test_where_nothing_is_replaced_a_copy_does_what_the_original_does():
    def f(x):
        frozen = scipy.stats.gamma(2.0, scale=1.5)
        return scipy.stats.norm.logpdf(x) + frozen.cdf(x) + np.polyval([1, 2], x) + np.trapezoid(
            [x, x]
        ), Slots().a

    assert retargeted(f, lambda x: x)(0.3) == f(0.3)


def test_objects_keep_their_state_within_a_run_and_nothing_is_done_to_the_original():
    def f(x):
        HISTORY.append(x)
        MODEL.value(x)
        MODEL.value(x)
        return MODEL.count - count, len(HISTORY)

    count = MODEL.count
    for _ in range(2):
        assert retargeted(f, replace)(1.0) == (2, 1)
    assert (MODEL.count, HISTORY) == (count, [])


def test_globals_and_closures_are_as_they_are_when_the_copy_runs(monkeypatch):
    shift = 1

    def f():
        return NUMBER + shift

    copy = retargeted(f, replace)
    assert copy() == 2.0
    monkeypatch.setitem(globals(), "NUMBER", 5.0)
    shift = 2
    assert copy() == 7.0


def count_up():
    global NUMBER
    NUMBER += 1
    return NUMBER


def test_code_that_changes_globals_or_modules_is_refused_with_its_line():
    def changes_module():
        np.pi = 3

    with pytest.raises(
        Untraceable, match=r"count_up changes the global variable NUMBER.*Pass it as an argument"
    ):
        retargeted(count_up, replace)()
    with pytest.raises(
        Untraceable, match=r"changes numpy.pi in .*changes_module, .*np.pi = 3. Leave modules"
    ):
        retargeted(changes_module, replace)()
    assert NUMBER == 1.0 and np.pi > 3.1


INSTALLED = None


def is_installed():
    global INSTALLED
    if INSTALLED is None:
        INSTALLED = np.pi > 3
    return INSTALLED


def test_an_answer_that_is_kept_in_a_global_variable():
    """It is asked for again, and what is kept of it does not reach the user's module."""
    copy = retargeted(lambda x: np.sin(x) if is_installed() else 0.0, replace)
    assert copy(1.0) == copy(1.0) == exchanged(1.0) and INSTALLED is None


class Counting:
    def count(self):
        global NUMBER
        NUMBER += 1

    def sine(self, x):
        return np.sin(x)


def test_a_class_may_have_a_method_that_changes_globals_if_nobody_calls_it():
    assert retargeted(lambda x: Counting().sine(x), replace)(1.0) == exchanged(1.0)
    with pytest.raises(Untraceable, match=r"Counting\.count changes the global variable NUMBER"):
        retargeted(lambda x: Counting().count(), replace)(1.0)


class OfNumbers:
    def __init__(self, x):
        self.x = x


class Named(OfNumbers):
    options: typing.ClassVar = {}

    def __init__(self, x):
        super(Named, self).__init__(x)  # noqa: UP008


class OfNamed(Named):
    """It has no state of its own."""


def test_a_class_follows_a_base_that_belongs_to_one_run():
    copy = retargeted(lambda x: np.sin(OfNamed(x).x), replace)
    assert copy(1.0) == copy(1.0) == exchanged(1.0)


def test_the_line_of_the_user_is_named_though_a_library_stands_between():
    seen = []

    def watching(x):
        if x is not np.hypot:
            return x
        return lambda *_: seen.append(where()) or 1.0

    def user(x):
        return np.apply_along_axis(lambda row: np.hypot(*row), 0, np.ones((2, 1)))

    retargeted(user, watching)(1.0)
    assert "lambda" in seen[0][0] and "test_retarget.py" in seen[0][1] and "np.hypot(*row)" in seen[0][1]


def test_threads_have_worlds_of_their_own():
    inside, answers = threading.Barrier(2), []

    def f(x):
        inside.wait(timeout=20)
        MODEL.shift += x
        inside.wait(timeout=20)
        return MODEL.value(0.0)

    copy = retargeted(f, replace)
    threads = [threading.Thread(target=lambda x=x: answers.append(copy(x))) for x in (1.0, 2.0)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(answers) == [1001.0, 1002.0]


def test_a_stand_in_is_of_the_class_that_it_stands_for():
    class Stand:
        stands_for = np.ndarray

    stand = Stand()

    def f():
        return isinstance(stand, np.ndarray), isinstance(stand, np.ndarray | float), isinstance(stand, float)

    assert retargeted(f, replace)() == (True, True, False)


class Root:
    def __new__(cls, *given):
        return super().__new__(cls)

    def __init__(self):
        super().__init__()  # whoever comes next takes nothing
        self.trail = ["base"]


class Left(Root):
    def __init__(self, x):
        super().__init__()
        self.trail.append("left")
        self.x = x


class Right(Root):
    def __init__(self, *given):
        super(Right, self).__init__(*given)  # noqa: UP008
        self.trail.append("right")


class Both(Left, Right):
    @classmethod
    def named(cls):
        return "both"

    def value(self):
        return np.sin(self.x)


class Lower(Both):
    @classmethod
    def named(cls):
        return "lower " + super().named()


class Row(np.ndarray):
    def __new__(cls, n):
        return super().__new__(cls, (n,))


def by_several_bases(x):
    made = Lower(x)
    return made.trail, made.named(), made.value(), len(Row(3)), isinstance(made, Right)


def test_super_goes_through_each_class_once():
    """Behind the copies of classes stand the classes themselves, with the same methods."""
    trail, name, value, length, known = retargeted(by_several_bases, replace)(1.0)
    assert (trail, name, length, known) == (["base", "right", "left"], "lower both", 3, True)
    assert value == 1001.0


class Kind:
    pass


class Made(Kind):
    def __new__(cls, x=None):
        return super().__new__(cls if x is not None else Nothing)

    def __init__(self, x=None):
        self.x = x


class Nothing(Made):
    pass


def test_super_does_not_come_back_to_the_class_itself():
    """The base has no __new__ of its own; behind its copy stands the class whose copy is asking."""
    assert retargeted(lambda x: Made(x).x, replace)(2.0) == 2.0
    assert retargeted(lambda: isinstance(Made(), Nothing), replace)()


UNIT = 3.0


def test_a_class_body_in_a_function_knows_the_globals():
    def value(x):
        class Box:
            unit = UNIT * x
            kind = Made

        return Box.unit + Box.kind(x).x

    assert retargeted(value, replace)(2.0) == 8.0


def test_functions_in_c_are_asked_for_once():
    """Recorded code looks for them at each operation."""
    asked = []

    def replace(x):
        asked.append(x)
        return x

    def f(x):
        return [np.hypot(math.floor(x), 2.5) for _ in range(5)]

    assert retargeted(f, replace)(3.7) == f(3.7)
    assert sum(x is np.hypot for x in asked) == sum(x is math.floor for x in asked) == 1


class Notebook:
    """What IPython's `get_ipython` belongs to: it has state that nobody can copy."""

    def __init__(self):
        self.lock, self.itself = threading.Lock(), self

    def shown(self, x):
        return x


def test_names_that_a_notebook_adds_to_those_of_python(monkeypatch):
    """IPython adds functions in Python and methods to builtins. They are looked at when the code uses them."""
    for name, x in {"display": helper, "shown": Notebook().shown, "Shown": Made}.items():
        monkeypatch.setattr(builtins, name, x, raising=False)
    copied = []

    def replace(x):  # in a new world
        copied.append(x)
        return exchanged if x is np.sin else x

    assert retargeted(lambda x: x + abs(-1.0), replace)(2.0) == 3.0
    assert not any(x is known for x in copied for known in (helper, Made, Notebook))
    assert retargeted(lambda x: display(x), replace)(2.0) == 1002.0  # noqa: F821
    assert retargeted(lambda x: shown(x) + Shown(x).x, replace)(2.0) == 4.0  # noqa: F821
    with pytest.raises(NameError, match="nowhere"):
        retargeted(lambda: nowhere, replace)()  # noqa: F821


class Wave:
    def __init__(self, height):
        self.height = height

    def at(self, x):
        return self.height * math.sin(x)


def test_what_is_handed_to_the_function_is_copied_too():
    wave = Wave(2.0)
    called = lambda f, x, *, also: f(x) + also(x)
    assert retargeted(called, replace)(wave.at, 1.0, also=math.sin) == 3 * 1001.0
    assert retargeted(lambda w, x: w.at(x), replace)(wave, 1.0) == 2 * 1001.0
    assert retargeted(lambda cls, x: cls(3.0).at(x), replace)(Wave, 1.0) == 3 * 1001.0
    assert wave.at(1.0) == 2 * math.sin(1.0)
    given = [1.0, 2.0]
    assert (
        retargeted(lambda x: x.append(3.0), replace)(given) is None
    )  # what are no functions, it gets as they are
    assert given == [1.0, 2.0, 3.0]
