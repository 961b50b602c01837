"""Training the embedded model from scratch on scenes of our own generator. Needs the `train` extra (torch, onnx)."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
