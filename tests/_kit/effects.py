"""Side effects of programs that failed."""

from jax._src import dispatch


def forget_failed_effects() -> None:
    """On an accelerator JAX keeps the token of a program that failed; each `effects_barrier` raises its error again."""
    dispatch.runtime_tokens.clear()
