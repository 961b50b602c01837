"""Exact edits of our own scenes: the instruction becomes a change of the scene, which is drawn again."""
