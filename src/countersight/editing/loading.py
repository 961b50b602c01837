"""Pipelines of diffusers from a folder: all of their weights, nothing but weights, and no download."""

import json
from pathlib import Path
from typing import Any

from countersight.editing.pipelines import KINDS
from countersight.errors import EditorError
from countersight.text import printable, unknown

_LIBRARIES = ("diffusers", "transformers")


def pipeline_class(folder: Path) -> str:
    """The name of the class of the pipeline in a folder, if it is one that edits."""
    index = folder / "model_index.json"
    if not index.is_file():
        how = "name the folder of a pipeline that was downloaded, as with: hf download OWNER/NAME --local-dir FOLDER"
        raise EditorError(f"there is no {printable(str(index))[:200]}; {how}")
    name = _index(folder).get("_class_name")
    if not isinstance(name, str) or name not in KINDS:
        raise EditorError(unknown("pipeline that edits", printable(str(name)), KINDS))
    return name


def load_pipeline(folder: Path, dtype: str, device: str) -> Any:
    """The pipeline in a folder, ready to compute."""
    import diffusers
    import torch
    from transformers.utils import logging

    for log in (logging, diffusers.utils.logging):
        log.set_verbosity(log.CRITICAL)  # its notes and bars would run into the progress we show
        log.disable_progress_bar()
    safe = {
        "local_files_only": True,
        "use_safetensors": True,  # weights alone: other files can hold programs
        "dtype": getattr(torch, dtype),
    }
    try:
        parts = {part: _whole(folder / part, kind, safe) for part, kind in _models(folder).items()}
        parts |= _processor(folder)
        pipeline = getattr(diffusers, pipeline_class(folder)).from_pretrained(
            folder, **safe, **parts, trust_remote_code=False
        )
        return quiet(pipeline.to(device))
    except EditorError:
        raise
    except Exception as error:  # torn files, wrong shapes, no room: each layer beneath has its own exceptions
        raise EditorError(f"the pipeline in {folder} cannot be loaded: {said(error)}") from None


def quiet(pipeline: Any) -> Any:
    """The same pipeline; it shows no progress of its own."""
    pipeline.set_progress_bar_config(disable=True)
    return pipeline


def said(error: Exception) -> str:
    """What a library says of an error, which may be pages, in a line."""
    line = next((line for line in map(str.strip, str(error).splitlines()) if line), type(error).__name__)
    line = printable(line)
    return line if len(line) <= 200 else line[:200] + "…"


def _index(folder: Path) -> dict[str, Any]:
    index = folder / "model_index.json"
    try:
        parts = json.loads(index.read_bytes())
    except (OSError, ValueError, RecursionError):
        parts = None
    if not isinstance(parts, dict):
        raise EditorError(f"{index} cannot be read: it does not name a pipeline")
    return parts


def _models(folder: Path) -> dict[str, Any]:
    """The classes of the pipeline's parts that have weights."""
    import importlib

    found: dict[str, Any] = {}
    for part, named in _index(folder).items():
        if isinstance(named, list) and len(named) == 2 and named[0] in _LIBRARIES:
            kind = getattr(importlib.import_module(named[0]), str(named[1]), None)
            if hasattr(kind, "load_state_dict"):
                found[part] = kind
    return found


def _whole(folder: Path, kind: Any, safe: dict[str, Any]) -> Any:
    """A part of a pipeline with all of its weights: the libraries would fill what is missing by chance and go on."""
    if not folder.is_dir():
        raise EditorError(f"{folder.parent} is not complete: {folder.name} is missing")
    model, faults = kind.from_pretrained(folder, **safe, output_loading_info=True)
    if faults["missing_keys"]:
        lacking = sorted(faults["missing_keys"])
        raise EditorError(f"{folder} lacks {len(lacking):,} of its weights, such as {lacking[0]}")
    return model


def _processor(folder: Path) -> dict[str, Any]:
    """Qwen's processor, where it would ask for torchvision, which only videos need."""
    from transformers import Qwen2VLConfig
    from transformers.utils import is_torchvision_available

    if _index(folder).get("processor") != ["transformers", "Qwen2VLProcessor"] or is_torchvision_available():
        return {}
    from countersight.models.local import load_stills

    return {"processor": load_stills(folder / "processor", Qwen2VLConfig())}
