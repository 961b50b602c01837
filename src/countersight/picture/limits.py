"""How large a picture may be."""

MAX_BYTES = 64 * 1024 * 1024
MAX_PIXELS = 89_000_000
"""A picture that says it is larger is taken for a decompression bomb, as Pillow takes it."""
LONGEST_SIDE = 4096
"""A picture whose longer side has more pixels is brought to so many: no model looks at more."""
LARGE = 4_000_000
"""Pixels from which on a picture is a large one."""
