"""Signatures of a bundle, compatible with `ssh-keygen -Y verify`; sign-offs of persons, and time stamps."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
