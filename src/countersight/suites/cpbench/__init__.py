"""CP-Bench: questions that presuppose what is not there."""
