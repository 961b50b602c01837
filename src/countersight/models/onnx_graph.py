"""Open networks in ONNX files, for the CPU."""

from pathlib import Path
from typing import Any

from countersight.errors import CountersightError, ModelError
from countersight.system import cores
from countersight.text import printable


def open_graph(path: Path, error: type[CountersightError] = ModelError, *, threads: int | None = None) -> Any:
    """Return the network in a file; it runs on all cores unless `threads` is given.

    Raises the given error if the file does not exist or cannot be loaded.
    """
    if not path.is_file():
        raise error(f"the file {path} does not exist")
    import onnxruntime

    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = threads or cores()
    options.log_severity_level = 4
    # Threads that spin while they wait would slow down everything else, such as decoding the next pictures.
    options.add_session_config_entry("session.intra_op.allow_spinning", "0")
    try:
        return onnxruntime.InferenceSession(path, options, providers=["CPUExecutionProvider"])
    except Exception as raised:  # onnxruntime raises many types of errors
        raise error(f"{path} cannot be loaded as a network ({printable(str(raised))[:160]})") from None
