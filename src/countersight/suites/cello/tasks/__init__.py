"""The twelve causal tasks on four rungs (CELLO 4.2): what each can ask of a causal graph, and the gold answer.

Gold answers follow from the paths of the graph. Each task also puts the same question to a structural model of the
graph, by simulating and intervening; what is asked is only what both agree on.

A thing is lost when it is no longer as the picture shows it. Every cause in a graph is needed: a thing stays as it is
while all its causes do.
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
