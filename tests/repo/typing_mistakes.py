"""What users get wrong: each line is an error for mypy and pyright, or its comment is one (unused)."""
# pyright: reportUnnecessaryTypeIgnoreComment=true

import numpy as np

import hostwrap as hw
from hostwrap import interpolate, linalg, signal, special, stats
from hostwrap.testing import check

hw.wrap(abs, vmap_metod="sequential")  # type: ignore[call-overload]
hw.wrap(abs, vmap_method="loop")  # type: ignore[call-overload]
hw.no_such_name(abs)  # type: ignore[attr-defined]
hw.wrap(3)  # type: ignore[call-overload]
hw.wrap(abs).defpartial(x=abs)  # type: ignore[attr-defined]
hw.linear(abs, transposed=abs)  # type: ignore[call-overload]
hw.cached(max_size=3)  # type: ignore[call-overload]
special.kv(1.0)  # type: ignore[call-arg]
special.kv(1.0, "z")  # type: ignore[arg-type]
special.kvv(1.0, 2.0)  # type: ignore[attr-defined]
print(special.airy(1.0).third)  # type: ignore[attr-defined]
hw.threads("2")  # type: ignore[arg-type]
check()  # type: ignore[call-arg]
special.gammainc([1.0, 2.0], 0.5)  # type: ignore[arg-type]
linalg.expm("text")  # type: ignore[arg-type]
linalg.exmp(1.0)  # type: ignore[attr-defined]
signal.lfilter([1.0], [1.0], "signal")  # type: ignore[arg-type]
signal.stft([1.0])  # type: ignore[attr-defined]
interpolate.splev(1.0, np.ones(3))  # type: ignore[arg-type]
stats.gaussian_kde("data")  # type: ignore[arg-type]
print(stats.gama)  # type: ignore[attr-defined]
