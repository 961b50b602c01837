"""Read pictures from files and check them without decoding, so that bad pictures are found before they are sent.

Use `as_seen` to decode a picture. It handles EXIF orientation, CMYK, 16 bits, transparency and animation in one way, so
that every model sees the picture as an image viewer shows it.
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
