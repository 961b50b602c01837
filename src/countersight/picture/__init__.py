"""Pictures from files, checked without decoding: a bad picture is found before it is sent anywhere.

Whoever decodes one calls `as_seen`: a camera that was held sideways, inks, 16 bits, a clear ground, an animation are
then for everybody what they are for a person who opens the file.
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
