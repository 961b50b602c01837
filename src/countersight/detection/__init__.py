"""What a detector of photographs is made of: the models it can be, the names it understands, the boxes it keeps."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
