"""The tape: see `running`."""

from hostwrap._tracing.tape.running import Recorded, logged, record, recordable, rounding, run, second

__all__ = ["Recorded", "logged", "record", "recordable", "rounding", "run", "second"]
