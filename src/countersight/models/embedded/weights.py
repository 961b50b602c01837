"""Reads the weights that ship with the package, and verifies their checksums."""

import hashlib
from importlib import resources
from pathlib import Path
from typing import Any, Final

import msgspec

from countersight.errors import ModelError
from countersight.models import onnx_graph

CHECKSUMS: Final = "checksums.json"
ENCODER: Final = "encoder.onnx"
VOCABULARY: Final = "vocabulary.json"


def decoder_file(worlds: str) -> str:
    """Return the file name of the decoder trained on questions of these worlds."""
    return f"decoder-{worlds}.onnx"


def files_of(worlds: str) -> tuple[str, ...]:
    """Return all files of the checkpoint for these worlds."""
    return ENCODER, VOCABULARY, decoder_file(worlds)


def fingerprint(folder: Path, worlds: str) -> str:
    """Return a short hash of the weights of one checkpoint, for run.json."""
    sums = _checksums(folder)
    whole = "".join(sums[name] for name in files_of(worlds))
    return hashlib.sha256(whole.encode()).hexdigest()[:12]


def weights_folder() -> Path:
    """Return the folder of the weights in the package."""
    return Path(str(resources.files(__package__))) / "weights"


def read_weights(folder: Path, name: str) -> bytes:
    """Return the bytes of a weights file; raises ModelError if the checksum is wrong."""
    data = _read_bytes(folder, name)
    if hashlib.sha256(data).hexdigest() != _checksums(folder).get(name):
        raise ModelError(f"the embedded model is damaged ({folder / name}: wrong checksum); install countersight again")
    return data


def _checksums(folder: Path) -> dict[str, str]:
    try:
        return msgspec.json.decode(_read_bytes(folder, CHECKSUMS), type=dict[str, str])
    except msgspec.DecodeError as error:
        raise ModelError(
            f"the embedded model cannot be read ({folder / CHECKSUMS}: {error}); install countersight again"
        ) from None


def _read_bytes(folder: Path, name: str) -> bytes:
    try:
        return (folder / name).read_bytes()
    except OSError as error:
        raise ModelError(
            f"the embedded model cannot be read ({folder / name}: {error.strerror}); install countersight again"
        ) from None


def open_graph(folder: Path, name: str, threads: int | None = None) -> Any:
    """Open an ONNX graph, which runs on all cores unless `threads` is given."""
    return onnx_graph.open_graph(folder / name, data=read_weights(folder, name), threads=threads)
