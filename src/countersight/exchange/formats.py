"""The export formats, by name; each module is imported only when it is used."""

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Literal

import msgspec

from countersight.dataset import HIDDEN
from countersight.errors import ExchangeError
from countersight.registry import Plug, Registry

if TYPE_CHECKING:
    from countersight.dataset import BadRow

Split = Literal["train", "test", "all"]


class Export(msgspec.Struct, frozen=True):
    """The source, the target and the options of an export."""

    source: Path
    """A dataset or a run, depending on the format."""
    out: Path
    dataset: Path | None = None
    """The current path of the run's dataset, if the dataset was moved."""
    split: Split = "train"
    """The split to export to a training file."""
    train_on_test: bool = False
    """Whether training on test pictures is allowed."""
    facts: Path | None = None
    """A file with facts that a person must provide about the dataset, for Croissant's RAI fields."""
    on_bad: "Callable[[BadRow], None] | None" = None
    """Called with every invalid row of the dataset."""


class Exported(msgspec.Struct, frozen=True):
    """The result of an export."""

    count: int
    noun: str
    """The unit of `count`, such as "question"."""
    note: str = ""
    """A hint on how to use the result, or on the remaining steps."""


Exporter = Callable[[Export], Exported]

_OURS = {
    "inspect": ("Inspect AI: a run as an .eval log", "inspect_export:export_log"),
    "hf": ("Hugging Face: Parquet with pictures, splits and a card", "hugging_face:export_hf"),
    "lmms-eval": ("lmms-eval: a folder for --include_path, with our metrics", "lmms_eval:export_lmms_eval"),
    "vlmevalkit": ("VLMEvalKit: tables for $LMUData", "vlmevalkit:export_tables"),
    "croissant": ("Croissant 1.1 with responsible-AI (RAI) fields", "croissant:export_croissant"),
    "trl-sft": ("TRL: questions and right answers", "training_files:export_sft"),
    "trl-dpo": ("TRL: questions with a right and a wrong answer (preference pairs)", "training_files:export_dpo"),
    "trl-grpo": ("TRL: questions for reinforcement learning with Countersight's rewards", "training_files:export_grpo"),
    "verifiers": ("verifiers: an environment that generates new cases", "verifiers_package:export_verifiers"),
    "ms-swift": ("ms-swift: preference pairs with the picture of the other world", "training_files:export_ms_swift"),
    "llama-factory": ("LLaMA-Factory: conversations (ShareGPT)", "training_files:export_llama_factory"),
    "llava": ("LLaVA: conversations", "training_files:export_llava"),
}
FORMATS: Registry[Exporter] = Registry(
    "format",
    {name: Plug(name, words, f"countersight.exchange.{where}") for name, (words, where) in _OURS.items()},
    ExchangeError,
)


def export_to(name: str, order: Export) -> Exported:
    """Write a dataset or a run in the named format."""
    if (order.source / HIDDEN).is_file():
        raise ExchangeError(f"the answers of {order.source} are hidden, so it cannot be exported")
    write: Exporter = FORMATS.find(name)[0]
    order.out.parent.mkdir(parents=True, exist_ok=True)
    return write(order)
