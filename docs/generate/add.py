"""`python -m docs.generate.add [NAMES...]` does what a new entry of `hostwrap.special` needs, as docs/add.md tells it.

It computes the reference tables, measures the entry against them, and writes what is generated from it. Without names
it takes every entry that is new or has another definition or other points than its table. Where a derivative misses
the target at any point, the point is shown and nothing is committed for it, unless you say --accept.
"""

from __future__ import annotations

import argparse
import hashlib
import pathlib
import subprocess
import sys

import jax
import numpy as np

import hostwrap.special
from docs.generate import ROOT, peers, stubs, support, support_csv, ulp
from hostwrap.special._function import Special
from tests.reference import both, domains, generate, ledger, proofs, tables
from tests.reference.accuracy import Errors, Key, measure
from tests.reference.composed import Composed
from tests.reference.composed import measured as everything
from tests.reference.entries import catalogue

WRITTEN = (ledger.LEDGER, proofs.FILE, domains.FILE, ulp.PATH, support.PAGE, support_csv.TABLE, stubs.STUB)
WRITTEN += (peers.README,)
Measured = dict[Key, Errors]


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m docs.generate.add", description=__doc__.splitlines()[0])
    parser.add_argument("names", nargs="*")
    parser.add_argument(
        "--accept", action="store_true", help="commit the errors that were measured, as they are"
    )
    parser.add_argument("--jobs", type=int, default=2)
    options = parser.parse_args()
    jax.config.update("jax_enable_x64", True)
    before, problems = _contents(), []
    _forget_leftovers()
    functions = chosen(options.names)
    generate.make([f for f in functions if generate.stale(f)], options.jobs)
    for function in functions:
        measured = dict(measure(function))
        found = [] if options.accept else missed(function, measured)
        problems += found or ledger.enter(function, measured, accept=options.accept)
    if not problems:
        _generate(functions)
    for path in sorted(path for path, content in _contents().items() if before.get(path) != content):
        print("wrote", path.relative_to(ROOT))
    if problems:
        sys.exit("\n".join([*problems, ADVICE]))
    print(
        f"Say it in a file in changes/, then run: make test ARGS='-k \"{' or '.join(f.name for f in functions)}\"'"
    )


ADVICE = (
    "Change the formula there. If it cannot be better, commit it with ACCEPT=1 and say why in your change."
)


def chosen(names: list[str]) -> list[Special]:
    """The entries with these names and the kernels that they use, if their tables are stale; all that are new."""
    known = everything()
    if not names:
        rows, drawn = {key[0].split()[0] for key in ledger.read()}, {key[0] for key in ulp.load()}
        new = lambda f: f.name not in rows or (f.name not in drawn and _is_drawn(f)) or generate.stale(f)
        return [_listed(f) for f in known.values() if new(f)]
    missing = [name for name in names if name not in known]
    if missing:
        sys.exit(f"There is no entry called {', '.join(missing)}.")
    called = [f for name in names if name in catalogue() for f in support_csv.kernels(known[name])]
    kernels = {f.name: f for f in called if generate.stale(f)}
    return [_listed(f) for f in ({name: known[name] for name in names} | kernels).values()]


def _listed(function: Special) -> Special:
    if _is_drawn(function) and getattr(hostwrap.special, function.name, None) is not function:
        place = f"{function.ref.__module__.replace('.', '/')}.py"
        sys.exit(f"{function.name} is not in hostwrap.special: add it to the `__all__` of {place}.")
    return function


def _is_drawn(function: Special) -> bool:
    """The public entries have pictures."""
    return function.public and not isinstance(function, Composed)


def missed(function: Special, measured: Measured) -> list[str]:
    """Each point at which a derivative is not within the target, and not committed so: the ratchet judges those.

    Nor is the value where it is SciPy's own.
    """
    found, committed = [], ledger.read()
    for key, errors in measured.items():
        scipys = errors.order == 0 and isinstance(function.host, np.ufunc)
        if (
            scipys
            or ledger.exception(key)
            or (key in committed and committed[key].points == len(errors.points))
        ):
            continue
        for p in np.flatnonzero(~errors.within):
            if ledger.exception(key, errors.points[p]) is None:
                found.append(
                    f"{' '.join(key)} at {ledger.place(errors.points[p])}: "
                    f"relative error {errors.relative[p]:.1e}, got {errors.got[p]:.6g}, true {errors.want[p]:.6g}"
                )
    return found


def _forget_leftovers() -> None:
    """What belongs to entries that have gone, or have another name now."""
    known, rows = set(everything()), ledger.read()
    ledger.write({key: row for key, row in rows.items() if key[0].split()[0] in known})
    proofs.save({key: row for key, row in proofs.load().items() if key[0] in known})
    for path in tables.FOLDER.glob("*.npz"):
        if path.stem not in known:
            path.unlink()
            print("removed", path.relative_to(ROOT))


def _generate(functions: list[Special]) -> None:
    for function in functions:
        both.prove(function)
    _draw_planes([f.name for f in functions if _is_drawn(f)])
    ulp.update([f for f in functions if _is_drawn(f)])
    calls = support.committed(support.PAGE.read_text(encoding="utf-8"))
    calls |= {f.name: support.calls(f) for f in functions if f.public}
    support.PAGE.write_text(support.page(list(catalogue().values()), calls), encoding="utf-8")
    support_csv.main()
    peers.update_ours()
    if f"SciPy {stubs.minor()}'s" in stubs.STUB.read_text(encoding="utf-8"):
        stubs.main()
    else:
        print(
            f"The stub {stubs.STUB.name} is from another SciPy; `python -m docs.generate.stubs` writes it anew."
        )


def _draw_planes(names: list[str]) -> None:
    """In a process of its own: drawing forks, and a fork of one whose JAX has threads can wait for them forever."""
    if names:
        subprocess.run([sys.executable, "-m", "tests.reference.domains", *names], cwd=ROOT, check=True)


def _contents() -> dict[pathlib.Path, str]:
    files = [*WRITTEN, *tables.FOLDER.glob("*.npz")]
    return {path: hashlib.sha256(path.read_bytes()).hexdigest() for path in files}


if __name__ == "__main__":
    main()
