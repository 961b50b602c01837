"""Countersight tests whether vision-language models can reason about what is not in the picture.

    import countersight as cs

    flowers = cs.make("cvqa-synthetic", "flowers", size=60, seed=7)
    run = cs.run(flowers, "embedded", out="runs/embedded")
    run.scores().overall.drop

`__init__.pyi` lists all names; each is imported on first use.
"""

import lazy_loader

__version__ = "0.2.0"

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
