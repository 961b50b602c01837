"""Weights read straight to a graphics processor, as fast as memory gives them, which transformers does not."""

import json
import threading
from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path
from typing import Any

_THREADS = 8
_PIECE = 1 << 25
"""Bytes that a thread reads at a time."""
_SHARE = 0.9
"""Of the free memory of a device: where weights take more, some of them are to be left elsewhere."""
_DTYPES = {"BF16": "bfloat16", "F16": "float16", "F32": "float32"}
"""What files call the kinds of numbers."""
_DTYPE = ("dtype", "torch_dtype")
"""What configurations call the kind of numbers that weights are stored in."""
_ALIGNED = 16
"""Bytes: a tensor that begins elsewhere is computed with more slowly."""


def read_weights(folder: Path, device: str, dtype: str) -> dict[str, Any] | None:
    """All weights of a folder on a device, by their names; None where only transformers can load them.

    That is where they are not plain safetensors with this kind of numbers, or there is too little room.
    """
    import torch

    with suppress(Exception):  # whatever is wrong, loading in the usual way finds it too and says so
        files = list(_files(folder))
        size = sum(file.stat().st_size for file in files)
        room = _SHARE * torch.cuda.mem_get_info(device)[0] if device.startswith("cuda") else float("inf")
        quantised = "quantization_config" in json.loads((folder / "config.json").read_bytes())
        if files and not quantised and size < room:
            return {name: value for file in files for name, value in _read(file, device, dtype)}
    return None


class Ahead:
    """Weights that are read while the packages are imported that compute with them."""

    def __init__(self, folder: Path, device: str, dtype: str) -> None:
        """Begin; of a device or a kind of numbers that is to be found, the likely one is taken."""
        self._folder, self._device, self._dtype = folder, device, dtype
        self._found: Future[dict[str, Any] | None] = Future()
        # A daemon: a run that has nothing to ask does not wait for it.
        threading.Thread(target=self._read, name="countersight-weights", daemon=True).start()

    def take(self, device: str, dtype: str) -> dict[str, Any] | None:
        """The weights, where they are on that device and of that kind."""
        weights = self._found.result()
        return weights if (self._device, self._dtype) == (device, dtype) else None

    def _read(self) -> None:
        try:
            with suppress(Exception):  # whatever is wrong, whoever loads the model finds it too and says so
                self._guess()
                if self._device.startswith("cuda"):
                    self._found.set_result(read_weights(self._folder, self._device, self._dtype))
        finally:
            if not self._found.done():
                self._found.set_result(None)

    def _guess(self) -> None:
        import torch

        if self._device == "auto" and torch.cuda.is_available():
            self._device = "cuda"
        if self._dtype == "auto":
            config = json.loads((self._folder / "config.json").read_bytes())
            told = (part.get(name) for part in (config, config.get("text_config", {})) for name in _DTYPE)
            self._dtype = next(filter(None, told))


def _files(folder: Path) -> Iterator[Path]:
    index = folder / "model.safetensors.index.json"
    if index.is_file():
        yield from (folder / name for name in sorted(set(json.loads(index.read_bytes())["weight_map"].values())))
    elif (folder / "model.safetensors").is_file():
        yield folder / "model.safetensors"


def _read(file: Path, device: str, dtype: str) -> Iterator[tuple[str, Any]]:
    import torch

    with open(file, "rb") as content:
        told = json.loads(content.read(int.from_bytes(content.read(8), "little")))
        begin = content.tell()
    told.pop("__metadata__", None)
    if {_DTYPES.get(each["dtype"]) for each in told.values()} != {dtype}:
        raise ValueError("other kinds of numbers")
    data = _on_device(file, begin, file.stat().st_size - begin, device)
    for name, each in told.items():
        start, end = each["data_offsets"]
        part = data[start:end] if start % _ALIGNED == 0 else data[start:end].clone()
        yield name, part.view(getattr(torch, dtype)).view(each["shape"])


def _on_device(file: Path, begin: int, size: int, device: str) -> Any:
    """The bytes of a file from some place on, in pieces that several threads bring there."""
    import torch

    data = torch.empty(size, dtype=torch.uint8, device=device)

    def bring(first: int) -> None:
        held = torch.empty(_PIECE, dtype=torch.uint8, pin_memory=device.startswith("cuda"))
        with open(file, "rb", buffering=0) as content:
            for start in range(first * _PIECE, size, _THREADS * _PIECE):
                part = data[start : start + _PIECE]
                content.seek(begin + start)
                _fill(memoryview(held.numpy())[: len(part)], content)
                part.copy_(held[: len(part)])

    with ThreadPoolExecutor(_THREADS) as threads:
        list(threads.map(bring, range(_THREADS)))
    return data


def _fill(room: memoryview, content: Any) -> None:
    """Read until there is no room left; a system hands out less at a time where it likes."""
    while len(room):
        taken = content.readinto(room)
        if not taken:
            raise ValueError("the file is torn")
        room = room[taken:]
