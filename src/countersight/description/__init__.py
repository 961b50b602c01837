"""What is in a dataset: how many cases, how long the questions are, which answers are right how often."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
