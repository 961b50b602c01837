"""Calibrate judges: measure how often they are right on tests with known verdicts."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
