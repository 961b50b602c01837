"""What was found out about models, kept between calls: to try how a model can be asked takes seconds, or minutes."""

import hashlib
from contextlib import suppress
from pathlib import Path
from typing import Any

import msgspec

from countersight import __version__
from countersight.files import write_whole
from countersight.models.local.loading import Loaded
from countersight.models.local.probing import Findings, find_out_no_more, found_out
from countersight.system import cache_folder


class KeptFindings:
    """The findings about one model, on one kind of device. Where they cannot be kept it is only tried again."""

    def __init__(self, settings: dict[str, Any], loaded: Loaded) -> None:
        """`settings` name the weights and the kind of numbers."""
        self._loaded = loaded
        told = (settings["weights"], settings["dtype"], settings["pictures"], _device(loaded), *_versions())
        self._name = hashlib.sha256(msgspec.json.encode(told)).hexdigest()[:24]
        self._kept = self._read()
        find_out_no_more(loaded, self._kept)

    def keep(self) -> None:
        """Keep what is known by now for the next call."""
        found = found_out(self._loaded)
        if found == self._kept:
            return
        with suppress(OSError, RuntimeError):  # a user without a home has no cache either
            self._file().parent.mkdir(parents=True, exist_ok=True)
            write_whole(self._file(), msgspec.msgpack.encode(found))

    def _read(self) -> Findings:
        with suppress(OSError, RuntimeError, msgspec.MsgspecError):
            return msgspec.msgpack.decode(self._file().read_bytes(), type=Findings)
        return Findings()

    def _file(self) -> Path:
        return cache_folder() / "models" / self._name


def _device(loaded: Loaded) -> str:
    import torch

    device = loaded.device
    return torch.cuda.get_device_name(device) if device.type == "cuda" else str(device.type)


def _versions() -> list[str]:
    """Of everything that computes."""
    import torch
    import transformers

    return [str(version) for version in (__version__, torch.__version__, transformers.__version__)]
