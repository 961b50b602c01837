"""Checks with other tools: each, in its own environment, opens our files and computes our figures (`make peers`)."""

from contextlib import suppress

with suppress(ModuleNotFoundError):  # without torch, nothing needs to be repaired
    import peers.torchvision  # noqa: F401 - before any tool imports the real one
