"""Who vouches for a bundle: signatures that `ssh-keygen -Y verify` checks too, sign-offs of persons, time stamps."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
