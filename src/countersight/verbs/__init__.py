"""What Countersight does, as functions: they take nouns, paths or names, and return nouns.

They print nothing, set no signal handlers and know no exit codes; those are the command line's. They work in a script,
in a thread and in a notebook.
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
