"""Print the oldest supported version of each runtime dependency: `jax==0.8.2 numpy==2.0.0 ...`."""

import pathlib
import tomllib

text = pathlib.Path("pyproject.toml").read_text(encoding="utf-8")
print(*(d.replace(">=", "==") for d in tomllib.loads(text)["project"]["dependencies"]))
