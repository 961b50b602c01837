"""Size limits of pictures."""

MAX_BYTES = 64 * 1024 * 1024
MAX_PIXELS = 89_000_000
"""The maximum number of pixels; larger pictures are rejected as decompression bombs, as in Pillow."""
LONGEST_SIDE = 4096
"""The maximum side of a picture in pixels; larger ones are scaled down, because no model uses more pixels."""
LARGE = 4_000_000
"""The number of pixels above which a picture counts as large."""
