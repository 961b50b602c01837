"""Is a bundle what it was when it was sealed, does all of it follow from its log, and who signed it?"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
