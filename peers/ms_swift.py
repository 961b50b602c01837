"""One step of ms-swift's own DPO on our file, the other world's picture rejected: `python -m peers.ms_swift`.

Run with `tests` on the path: the tiny model is the one our tests of local models have.
"""

import os
import sys

from peers.parrot import WORK, exported, tiny_model


def main() -> None:
    """Export, and have `swift rlhf` train one step on it."""
    out = exported("ms-swift")
    os.environ |= {"ROOT_IMAGE_DIR": str(out), "USE_HF": "1"}
    from swift.pipelines import rlhf_main

    rlhf_main(
        [
            *("--rlhf_type", "dpo", "--tuner_type", "full", "--torch_dtype", "float32"),
            *("--model", str(tiny_model()), "--model_type", "llava1_5_hf", "--template", "llava1_5_hf"),
            *("--dataset", str(out / "train.jsonl"), "--output_dir", str(WORK / "swift")),
            *("--max_steps", "1", "--per_device_train_batch_size", "2", "--logging_steps", "1"),
            *("--save_strategy", "no", "--report_to", "none"),
            *("--strict", "true"),  # a row that it cannot use is an error, and not left out
        ]
    )


if __name__ == "__main__":
    sys.exit(main())
