"""Size limits of pictures."""

MAX_BYTES = 64 * 1024 * 1024
MAX_PIXELS = 89_000_000
"""Pictures with more pixels are rejected as decompression bombs, as in Pillow."""
LONGEST_SIDE = 4096
"""Pictures with a longer side are scaled down to this: no model uses more pixels."""
LARGE = 4_000_000
"""Pictures with more pixels count as large."""
