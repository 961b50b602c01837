"""A dataset is a folder of cases that anybody can open: a Hugging Face image folder with a card beside it.

Reading streams: a folder of a million cases needs no more memory than one of ten.
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
