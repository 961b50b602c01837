"""What the rules leave unread, read by a language model: always apart from what the rules read."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
