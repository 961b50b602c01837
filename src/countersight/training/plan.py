"""The settings for training, with those of the paper as defaults (CoSIm, section 7 and appendix C)."""

from pathlib import Path
from typing import Final, Literal

import msgspec

from countersight.errors import CountersightError
from countersight.models.matcher import Inputs

Objective = Literal["ce", "contrastive"]
SEEDS = (1234, 2345, 3456)
COUNTS = "counts"
"""The value of `encoder` with which only counted features are used."""
LIMITS: Final = {
    "folds": (0, 1_000),
    "epochs": (1, 100_000),
    "batch": (1, 100_000),
    "rate": (1e-12, 1.0),
    "decay": (0.0, 1.0),
    "hidden": (1, 16_384),
    "heads": (1, 1_024),
    "text_layers": (1, 200),
    "vision_layers": (1, 200),
    "cross_layers": (1, 200),
    "dropout": (0.0, 0.99),
    "held_out": (0.0, 0.5),
}
"""The minimum and maximum of each number in a plan; outside this range, training fails late or has no effect."""
SIZES: Final[dict[str, dict[str, int | float | str]]] = {
    "paper": {},
    "small": {
        "hidden": 128,
        "heads": 4,
        "text_layers": 2,
        "vision_layers": 1,
        "cross_layers": 2,
        "dropout": 0.0,
        "precision": "fp32",
    },
}
"""Presets: CoSIm's own settings, and a small network that answers 40 cases per second on two slow cores."""
LARGEST_SEED = 2**63 - 1


class TrainingPlan(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """All training settings that the result depends on, apart from the cases; they are stored with the checkpoints."""

    inputs: Inputs = "text"
    objective: Objective = "ce"
    encoder: str = ""
    """The folder of a BERT-like text encoder or of LXMERT; empty to train from scratch, or `counts` for no encoder."""
    features: str = ""
    """The folder of regions for full inputs, computed with `countersight features`."""
    seeds: tuple[int, ...] = SEEDS
    folds: int = 0
    """The number of parts for cross-validation by picture; 0 for none."""
    epochs: int = 50
    batch: int = 8
    rate: float = 1e-5
    decay: float = 0.0
    hidden: int = 768
    heads: int = 12
    text_layers: int = 9
    vision_layers: int = 5
    cross_layers: int = 5
    dropout: float = 0.1
    precision: Literal["bf16", "fp32"] = "bf16"
    """The number format on a GPU; a small network trained from scratch may need fp32."""
    surface: bool = False
    """Whether counted features of each option are added to its score."""
    held_out: float = 0.1
    """The share of training pictures held out to select the best epoch; the paper used its validation split. With 0,
    all pictures are used for training, and the last epoch is kept."""

    def check(self) -> None:
        """Raise an error if the settings are invalid."""
        for name, (least, most) in LIMITS.items():
            value = getattr(self, name)
            if not least <= value <= most:  # NaN is out of range too
                raise CountersightError(f"{name} is {value}; it must be from {least:g} to {most:g}")
        if self.hidden % self.heads:
            raise CountersightError(f"hidden ({self.hidden}) must be a multiple of heads ({self.heads})")
        if self.folds == 1 or not self.seeds:
            raise CountersightError("`folds` must be at least 2, and there must be at least one seed")
        if len(set(self.seeds)) < len(self.seeds):
            raise CountersightError(f"a seed is given twice in {', '.join(map(str, self.seeds))}; give each once")
        if not all(0 <= seed <= LARGEST_SEED for seed in self.seeds):
            raise CountersightError(f"a seed must be a number from 0 to {LARGEST_SEED}")
        if self.encoder not in ("", COUNTS) and not Path(self.encoder, "config.json").is_file():
            raise CountersightError(f"{self.encoder} is not an encoder folder: it has no config.json")
        if self.objective == "contrastive" and self.inputs != "full":
            raise CountersightError("the contrastive objective compares texts with pictures, so set `inputs` to `full`")
        if self.inputs == "full" and not self.features:
            raise CountersightError(
                "`inputs` is `full`, which needs regions of pictures: compute them with `countersight features`, and "
                "name their folder with `features`"
            )
        if self.encoder == COUNTS and (self.inputs == "full" or not self.surface):
            raise CountersightError(
                "without an encoder, only surface counts can be used: set `surface`, and set `inputs` to `response` or "
                "`text`"
            )
