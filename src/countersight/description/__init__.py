"""Describe a dataset: the numbers of cases, lengths of questions, and frequencies of right answers."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
