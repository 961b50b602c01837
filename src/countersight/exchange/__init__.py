"""Import from and export to other tools: export datasets and runs, and import answers.

There is one module per tool; none of them requires the tool to be installed.
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
