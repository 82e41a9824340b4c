"""The gufunc notation: what it accepts, what it binds, and what its errors say."""

import numpy as np
import pytest

from hostwrap import SignatureError
from hostwrap._call.signature import elementwise, parse


@pytest.mark.parametrize(
    "text, ins, outs",
    [
        ("()->()", ((),), ((),)),
        ("(n,n),(n)->(n)", (("n", "n"), ("n",)), (("n",),)),
        ("(m,n),(n,p)->(m,p)", (("m", "n"), ("n", "p")), (("m", "p"),)),
        ("(n)->(),(n),(n,3)", (("n",),), ((), ("n",), ("n", "3"))),
        (" ( n , 3 ) , ( ) -> ( n ) ", (("n", "3"), ()), (("n",),)),
        ("->()", (), ((),)),
        ("(row_1,col2)->(col2,row_1)", (("row_1", "col2"),), (("col2", "row_1"),)),
    ],
)
def test_notation_is_parsed(text, ins, outs):
    signature = parse(text)
    assert (signature.ins, signature.outs, signature.text) == (ins, outs, text)


@pytest.mark.parametrize(
    "text",
    ["", "n->n", "(n)", "(n)->", "(n)-(n)", "(n->n)", "(n),->(n)", "(n)(m)->()", "((n))->()", "(n,)->(n)",
     "(n)->(n)->(n)", "(-1)->()", "(n+1)->()", "(2n)->()", "(n?)->()", None, 3],
)  # fmt: skip
def test_what_is_no_signature_is_refused_and_quoted(text):
    with pytest.raises(SignatureError) as error:
        parse(text)
    assert repr(text) in str(error.value) and "(n,n),(n)->(n)" in str(error.value)


def test_an_output_axis_that_no_input_has_is_refused():
    with pytest.raises(
        SignatureError, match=r"output axis 'k' is on no input; name one of \['m', 'n'\].*out="
    ):
        parse("(m,n)->(k)")


@pytest.mark.parametrize(
    "text, shapes, batch, cores",
    [
        ("()->()", [(2, 3)], (2, 3), [()]),
        ("(),()->()", [(2, 1), (3,)], (2, 3), [()]),
        ("(n,n),(n)->(n)", [(4, 3, 3), (5, 1, 3)], (5, 4), [(3,)]),
        ("(n,n),(n)->(n)", [(0, 2, 2), (2,)], (0,), [(2,)]),
        ("(m,n),(n,p)->(m,p)", [(2, 0), (0, 4)], (), [(2, 4)]),
        ("(n)->(),(n),(n,3)", [(7, 5)], (7,), [(), (5,), (5, 3)]),
        ("(n,3)->(n)", [(6, 3)], (), [(6,)]),
        ("->()", [], (), [()]),
    ],
)
def test_shapes_are_bound(text, shapes, batch, cores):
    names = "abcdef"[: len(shapes)]
    assert parse(text).broadcast("f", names, shapes) == (batch, cores)


@pytest.mark.parametrize("seed", range(20))
def test_binding_agrees_with_numpy(seed):
    """numpy.vectorize reads the same notation."""
    draw = np.random.default_rng(seed)
    sizes = dict(zip("mnp", draw.integers(1, 5, 3).tolist(), strict=True))
    groups = [tuple(draw.choice(list("mnp"), draw.integers(0, 3)).tolist()) for _ in range(3)]
    text = ",".join(f"({','.join(g)})" for g in groups[:2]) + f"->({','.join(groups[0])})"
    full = tuple(draw.integers(1, 4, 2).tolist())
    batches = [full[draw.integers(0, 3) :], tuple(size if draw.random() < 0.5 else 1 for size in full)]
    shapes = [b + tuple(sizes[a] for a in g) for b, g in zip(batches, groups, strict=False)]
    batch, (core,) = parse(text).broadcast("f", "xy", shapes)
    numpys = np.vectorize(lambda x, y: x, signature=text)(*map(np.ones, shapes))
    assert batch + core == numpys.shape


def test_too_few_axes_name_the_argument_and_the_axes():
    with pytest.raises(SignatureError) as error:
        parse("(n,n),(n)->(n)").broadcast("solve", ["A", "b"], [(3,), (3,)])
    for words in ("solve", "'(n,n),(n)->(n)'", "`A`", "(n,n)", "(3,)", "at least 2"):
        assert words in str(error.value)


def test_axes_that_disagree_name_both_arguments_and_both_sizes():
    with pytest.raises(SignatureError) as error:
        parse("(m,n),(n)->(m)").broadcast("apply", ["A", "b"], [(2, 3), (5, 4)])
    for words in ("apply", "'(m,n),(n)->(m)'", "axis n = 3", "`A`", "`b` of shape (5, 4)", "n = 4"):
        assert words in str(error.value)


def test_an_axis_of_size_one_is_not_stretched():
    with pytest.raises(SignatureError, match="axis n = 3"):
        parse("(n),(n)->(n)").broadcast("f", "ab", [(3,), (1,)])


def test_an_axis_disagrees_within_one_argument():
    with pytest.raises(
        SignatureError, match=r"axis n = 2 \(as in `A`\), but `A` of shape \(2, 3\) has n = 3"
    ):
        parse("(n,n)->()").broadcast("det", ["A"], [(2, 3)])


def test_a_number_is_a_fixed_size():
    with pytest.raises(
        SignatureError, match=r"axis 3 = 3 \(as written\), but `x` of shape \(5, 2\) has 3 = 2"
    ):
        parse("(n,3)->(n)").broadcast("norm", ["x"], [(5, 2)])


def test_leading_axes_that_do_not_broadcast_are_listed_without_core_axes():
    with pytest.raises(SignatureError) as error:
        parse("(n,n),(n)->(n)").broadcast("solve", ["A", "b"], [(2, 3, 3), (4, 3)])
    for words in ("solve", "batch", "A: (2,)", "b: (4,)"):
        assert words in str(error.value)


def test_elementwise_is_the_signature_of_a_ufunc():
    assert elementwise(2, 3) == parse("(),()->(),(),()")


def test_a_size_that_no_array_has():
    with pytest.raises(
        SignatureError, match="no array has an axis of a size with 5000 digits; write at most 18"
    ):
        parse(f"({'9' * 5000})->()")
    assert parse("(999999999999999999)->()").ins == (("9" * 18,),)
