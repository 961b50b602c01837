"""Networks in ONNX files, opened with a sentence for everything that may be wrong with them."""

import hashlib
from pathlib import Path
from typing import Any

from countersight.errors import EditorError
from countersight.system import cores
from countersight.text import printable


def open_graph(path: Path) -> Any:
    """The network of a file, ready to be run on the processor."""
    if not path.is_file():
        raise EditorError(f"there is no file {path}")
    import onnxruntime

    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = cores()
    options.log_severity_level = 4
    # Threads that spin while they wait take the cores of everything else.
    options.add_session_config_entry("session.intra_op.allow_spinning", "0")
    try:
        return onnxruntime.InferenceSession(path, options, providers=["CPUExecutionProvider"])
    except Exception as error:  # whatever its C++ raises
        raise EditorError(f"{path} is no network that can be opened ({printable(str(error))[:160]})") from None


def fingerprint(path: Path) -> str:
    """The first letters of a file's SHA-256, by which two files of one name are told apart."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()[:16]
