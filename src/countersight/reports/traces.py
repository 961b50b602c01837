"""Programs as the gallery shows them: what they said, what they called, and where they found things."""

from countersight.case import Trace
from countersight.dataset import Dataset
from countersight.reports.boxes import in_parts, size_of
from countersight.reports.data import Program, ProgramCall


def shown_program(trace: Trace, file_name: str | None, source: Dataset) -> Program:
    """A program for the page; boxes are left out where the picture cannot be read."""
    boxed = any(call.boxes for call in trace.calls)
    size = size_of(file_name, source) if boxed else None
    calls = tuple(
        ProgramCall(
            call.name, call.arguments, call.result, tuple(in_parts(box, size) for box in call.boxes) if size else ()
        )
        for call in trace.calls
    )
    return Program(trace.program, calls, trace.unkept, trace.failure)
