"""Step programs in the manner of VisProg: one operation a line, parsed and interpreted by us."""

from countersight.programs.steps.interpreter import OPERATIONS, run_steps
from countersight.programs.steps.parsing import BadProgram, Name, Step, parse_steps, parsed, step_lines

__all__ = ["OPERATIONS", "BadProgram", "Name", "Step", "parse_steps", "parsed", "run_steps", "step_lines"]
