"""What works a matcher's graph out: onnxruntime, or OpenVINO, which uses short numbers where a processor has any."""

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, NamedTuple

from countersight.errors import ModelError
from countersight.system import cores

ONNXRUNTIME = "onnxruntime"


class Graph(NamedTuple):
    """A graph that is ready to be asked."""

    inputs: tuple[str, ...]
    scores: Callable[[Mapping[str, Any]], Any]


def open_graph(path: Path, runtime: str) -> Graph:
    """Open a graph with the runtime of that name."""
    try:
        return RUNTIMES[runtime](path)
    except ModelError:
        raise
    except Exception as error:  # as many kinds as there are ways to damage a file
        raise ModelError(f"{path} is no matcher that {runtime} can read: {str(error)[:200]}") from None


def _by_onnxruntime(path: Path) -> Graph:
    import onnxruntime

    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = cores()
    options.log_severity_level = 3
    session = onnxruntime.InferenceSession(path, options, providers=["CPUExecutionProvider"])
    return Graph(tuple(one.name for one in session.get_inputs()), lambda given: session.run(["scores"], given)[0])


def _by_openvino(path: Path) -> Graph:
    try:
        import openvino
    except ImportError:
        raise ModelError("this runtime is a package of its own: pip install 'countersight[openvino]'") from None
    settings = {"INFERENCE_NUM_THREADS": cores(), "NUM_STREAMS": 1}
    request = openvino.Core().compile_model(path, "CPU", settings).create_infer_request()
    inputs = tuple(one.get_any_name() for one in request.model_inputs)
    return Graph(inputs, lambda given: request.infer(given)["scores"].copy())


RUNTIMES = {ONNXRUNTIME: _by_onnxruntime, "openvino": _by_openvino}
