"""In and out of other tools: datasets, runs and audits in their formats, and answers that were got with them.

One module a peer; none of them needs the peer to be installed.
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
