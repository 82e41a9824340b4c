"""The tape: record a run of the user's code on concrete numbers; see `running`."""

from hostwrap._tracing.tape.running import (
    Recorded,
    branches,
    logged,
    record,
    recordable,
    rounding,
    run,
    second,
)

__all__ = ["Recorded", "branches", "logged", "record", "recordable", "rounding", "run", "second"]
