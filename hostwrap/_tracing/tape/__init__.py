"""The tape: see `running`."""

from hostwrap._tracing.tape.running import Recorded, record, recordable, run, second

__all__ = ["Recorded", "record", "recordable", "run", "second"]
