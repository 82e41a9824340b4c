"""The tape: see `running`."""

from hostwrap._tracing.tape.running import Recorded, record, recordable, rounding, run, second

__all__ = ["Recorded", "record", "recordable", "rounding", "run", "second"]
