"""SciPy's own tests of `scipy.special` pass with jitted functions of `hostwrap.special`, but for a committed list.

`scipy_suite.csv` says which tests differ, by a regular expression of `module::test[parameters]`, and why. Tables of
reference values have a test of their own: test_scipy_data.py.
"""

import csv
import os
import pathlib
import re
import subprocess
import sys
import xml.etree.ElementTree as ElementTree

import pytest
import scipy.special

SUITE = pathlib.Path(scipy.special.__file__).parent / "tests"
ROOT = pathlib.Path(__file__).resolve().parents[2]
QUICK = "test_logsumexp test_logit test_zeta test_loggamma test_kolmogorov test_spherical_bessel test_trig"
QUICK += " test_ndtr test_wright_bessel test_boxcox test_erfinv test_sici"
LONG = (
    "test_basic test_bdtr test_boost_ufuncs test_cdflib test_cdft_asymptotic test_cosine_distr test_digamma"
)
LONG += " test_ellip_harm test_exponential_integrals test_faddeeva test_gamma test_gammainc test_gen_harmonic"
LONG += (
    " test_hyp2f1 test_hypergeometric test_iv_ratio test_lambertw test_legendre test_log1mexp test_ndtri_exp"
)
LONG += " test_nan_inputs test_orthogonal test_orthogonal_eval test_owens_t test_pcf test_pdtr test_powm1 test_round"
LONG += " test_sf_error test_specfun test_spence test_spfun_stats test_sph_harm test_wrightomega"
MODULES = [pytest.param(m, marks=pytest.mark.rotating) for m in QUICK.split()]
MODULES += [pytest.param(m, marks=pytest.mark.exhaustive) for m in LONG.split()]


def expected():
    with open(pathlib.Path(__file__).with_name("scipy_suite.csv"), newline="", encoding="utf-8") as file:
        return [(re.compile(row["test"]), row["why"]) for row in csv.DictReader(file)]


def outcomes(module, folder):
    """{module::test: why it failed, or None}, of those that ran."""
    report = folder / "report.xml"
    (folder / "conftest.py").write_text("")
    command = [
        sys.executable,
        "-m",
        "pytest",
        "-q",
        "-n0",
        "-p",
        "no:cacheprovider",
        "-p",
        "tests.special.scipy_suite",
    ]
    command += [f"--rootdir={folder}", f"--junitxml={report}", "--pyargs", f"scipy.special.tests.{module}"]
    paths = os.pathsep.join([str(ROOT), *filter(None, sys.path)])
    done = subprocess.run(
        command, cwd=folder, env={**os.environ, "PYTHONPATH": paths}, capture_output=True, text=True
    )
    assert done.returncode in (0, 1, 5), done.stdout + done.stderr
    found = {}
    for case in ElementTree.parse(report).iter("testcase"):
        if case.find("skipped") is None:
            failure = case.find("failure") if case.find("failure") is not None else case.find("error")
            found[f"{module}::{case.get('name')}"] = None if failure is None else failure.get("message")
    return found


@pytest.mark.parametrize("module", MODULES)
def test_scipys_own_tests_pass_but_for_those_that_differ_by_design(module, tmp_path):
    if not (SUITE / f"{module}.py").exists():
        pytest.skip("this SciPy ships without it")
    found = outcomes(module, tmp_path)
    wrong = {
        name: why
        for name, why in found.items()
        if why is not None and not any(pattern.match(name) for pattern, _ in expected())
    }
    assert not wrong, f"{len(wrong)} of {len(found)}: {wrong}"
