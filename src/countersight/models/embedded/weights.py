"""The files that ship with the package, checked before they are used."""

import hashlib
from importlib import resources
from pathlib import Path
from typing import Any, Final

import msgspec

from countersight.errors import ModelError
from countersight.system import cores

CHECKSUMS: Final = "checksums.json"
ENCODER: Final = "encoder.onnx"
VOCABULARY: Final = "vocabulary.json"


def decoder_file(worlds: str) -> str:
    """The file of the decoder that has seen questions of these worlds."""
    return f"decoder-{worlds}.onnx"


def files_of(worlds: str) -> tuple[str, ...]:
    """Every file that the checkpoint of these worlds is made of."""
    return ENCODER, VOCABULARY, decoder_file(worlds)


def fingerprint(folder: Path, worlds: str) -> str:
    """A short name for the very weights of one checkpoint, for run.json."""
    sums = _checksums(folder)
    whole = "".join(sums[name] for name in files_of(worlds))
    return hashlib.sha256(whole.encode()).hexdigest()[:12]


def shipped() -> Path:
    """The folder of the weights inside the package."""
    return Path(str(resources.files(__package__))) / "weights"


def checked(folder: Path, name: str) -> bytes:
    """The bytes of a weights file, or a ModelError where they are not those that were shipped."""
    data = _bytes(folder, name)
    if hashlib.sha256(data).hexdigest() != _checksums(folder).get(name):
        raise ModelError(f"the embedded model is damaged ({folder / name}: wrong checksum); install countersight again")
    return data


def _checksums(folder: Path) -> dict[str, str]:
    try:
        return msgspec.json.decode(_bytes(folder, CHECKSUMS), type=dict[str, str])
    except msgspec.DecodeError as error:
        raise ModelError(
            f"the embedded model cannot be read ({folder / CHECKSUMS}: {error}); install countersight again"
        ) from None


def _bytes(folder: Path, name: str) -> bytes:
    try:
        return (folder / name).read_bytes()
    except OSError as error:
        raise ModelError(
            f"the embedded model cannot be read ({folder / name}: {error.strerror}); install countersight again"
        ) from None


def open_graph(folder: Path, name: str, threads: int | None = None) -> Any:
    """A graph ready to run, on all cores unless told otherwise."""
    data = checked(folder, name)
    try:
        import onnxruntime
    except ImportError:
        raise ModelError("the embedded model needs ONNX Runtime: pip install onnxruntime") from None

    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = threads or cores()
    options.log_severity_level = 3
    # Threads that spin while they wait take the cores that decode the next pictures.
    options.add_session_config_entry("session.intra_op.allow_spinning", "0")
    return onnxruntime.InferenceSession(data, options, providers=["CPUExecutionProvider"])
