"""One step of LLaMA-Factory's own training on our file: `python -m peers.llama_factory`.

Run with `tests` on the path: the tiny model is the one our tests of local models have.
"""

import shutil
import sys
from importlib.machinery import ModuleSpec
from types import ModuleType

from peers.parrot import WORK, exported, tiny_model


def main() -> None:
    """Export, and train one step on it by the dataset_info.json that we wrote."""
    out = exported("llama-factory")
    if "torchaudio" not in sys.modules:  # imported for sounds, of which we have none; its wheel needs CUDA
        silent = ModuleType("torchaudio")
        silent.__spec__ = ModuleSpec("torchaudio", None)
        sys.modules["torchaudio"] = silent
    from llamafactory.train.tuner import run_exp

    trained = WORK / "factory"
    shutil.rmtree(trained, ignore_errors=True)
    run_exp(
        {
            "stage": "sft",
            "do_train": True,
            "finetuning_type": "full",
            "model_name_or_path": str(tiny_model()),
            "template": "llava",
            "dataset_dir": str(out),
            "media_dir": str(out),
            "dataset": "countersight",
            "cutoff_len": 4096,
            "output_dir": str(trained),
            "max_steps": 1,
            "per_device_train_batch_size": 2,
            "logging_steps": 1,
            "save_strategy": "no",
            "report_to": "none",
            "use_cpu": True,
        }
    )


if __name__ == "__main__":
    sys.exit(main())
