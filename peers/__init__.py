"""The other tools themselves open our files and have our figures: `make peers`, each in an environment of its own."""

from contextlib import suppress

with suppress(ModuleNotFoundError):  # in an environment without torch there is nothing to mend
    import peers.torchvision  # noqa: F401 - before any tool imports the real one
