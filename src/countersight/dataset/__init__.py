"""A dataset is a folder of cases: a Hugging Face image folder with a card.

Reading streams, so memory use does not depend on the number of cases.
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
