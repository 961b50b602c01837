"""One step of each TRL trainer on a tiny model, and of GRPO on the embedded one: `python -m peers.training`.

Run with `tests` on the path: the tiny model is the one our tests of local models have.
"""

import math
import sys
from typing import Any

from datasets import load_dataset
from transformers import AutoModelForImageTextToText, AutoProcessor
from trl import DPOConfig, DPOTrainer, GRPOConfig, GRPOTrainer, SFTConfig, SFTTrainer

from countersight.rewards import trl_reward
from peers.parrot import WORK, flowers, hand_over, hold, tiny_model
from tools.embedded import grpo_policy
from tools.embedded.grpo_questions import asked

ONE_STEP: dict[str, Any] = {
    "max_steps": 1,
    "report_to": "none",
    "save_strategy": "no",
    "logging_steps": 1,
    "use_cpu": True,
    "bf16": False,
    "disable_tqdm": True,
}


def main() -> None:
    """Export, load, and train one step of each kind."""
    model = tiny_model()
    small = {"per_device_train_batch_size": 2, **ONE_STEP}
    for name, config, trainer, beside in (
        ("trl-sft", SFTConfig(str(WORK / "sft"), max_length=None, **small), SFTTrainer, {}),
        ("trl-dpo", DPOConfig(str(WORK / "dpo"), max_length=None, **small), DPOTrainer, {}),
        (
            "trl-grpo",
            GRPOConfig(str(WORK / "grpo"), num_generations=2, max_completion_length=4, **small),
            GRPOTrainer,
            {"reward_funcs": trl_reward},
        ),
    ):
        count = hand_over(name, flowers(), WORK / name)
        data = load_dataset("parquet", data_files=str(WORK / name / "*.parquet"), split="train")
        hold(name, {"questions": count}, {"questions": len(data)})
        processor = AutoProcessor.from_pretrained(model)
        network = AutoModelForImageTextToText.from_pretrained(model)
        under = trainer(model=network, args=config, train_dataset=data, processing_class=processor, **beside)
        outcome = under.train()
        assert math.isfinite(outcome.training_loss), name
        print(
            f"{name:<10} {len(data)} questions, one step, loss {outcome.training_loss:.4f}, columns {data.column_names}"
        )

    grpo_policy.PROMPTS = grpo_policy.SAMPLES = 4
    examples = asked(WORK / "questions.json", range(1, 2), seed=1, count=4)
    shares = grpo_policy.trained(examples, examples, WORK / "embedded", 1, ("paired", 0))
    assert shares["shown, group"] == 1.0, shares
    print(f"{'embedded':<10} {len(examples)} questions, one step of GRPO in pairs")


if __name__ == "__main__":
    sys.exit(main())
