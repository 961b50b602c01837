"""The composer computes a counterfactual count from a factual count and a supposition, without a model.

It decides only what its grammar covers ("if 2 more plates were added", "if half of them left") and abstains otherwise.
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
