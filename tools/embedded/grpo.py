"""`python -m tools.embedded.grpo -o FOLDER`: teach `embedded:factual` one kind of "if" by reward alone (GRPO in TRL).

The model reads pictures well, but was never trained on suppositions. `countersight.rewards` rewards it on
questions of one group of cvqa-synthetic, made from a training seed. It is tested on cases of another seed: that group,
the other groups, controls (with a change that does not affect the answer), and the original and the changed picture.
"""

import argparse
from functools import partial
from pathlib import Path
from statistics import mean
from typing import get_args

import msgspec

from countersight.parallel import in_order
from countersight.suites.cvqa import TEMPLATES
from tools.embedded.grpo_policy import Payment, Shares, new_policy, right_shares, trained
from tools.embedded.grpo_questions import TRAINED, asked

TRAIN_SEED, TEST_SEED = 1, 1_000_000
CASES, TESTED = 1500, 100
"""Cases to train on, and cases of each template to test with."""

Results = dict[str, list[Shares]]
"""The shares of right answers for each seed, by kind of reward."""


def table(results: Results) -> str:
    """Return a table of right answers in per cent: the mean over the seeds, and the range if they differ."""
    lines = [f"{'':24}" + "".join(f"{name:>20}" for name in results)]
    for name in results["before"][0]:
        shares = [[100 * found[name] for found in runs] for runs in results.values()]
        cells = [
            f"{mean(each):.1f}" + (f" ({min(each):.1f}-{max(each):.1f})" * (len(set(each)) > 1)) for each in shares
        ]
        lines.append(f"{name:24}" + "".join(f"{cell:>20}" for cell in cells))
    return "\n".join(lines)


def main() -> None:
    """Train with each kind of reward and several seeds, and print the results."""
    options = argparse.ArgumentParser(prog="python -m tools.embedded.grpo", description=__doc__)
    options.add_argument("-o", "--output", type=Path, required=True, metavar="DIR", help="questions and results")
    options.add_argument("--steps", type=int, default=200)
    options.add_argument("--seeds", type=int, default=3)
    options.add_argument("--workers", type=int, metavar="N", help="training runs at a time (default: one per core)")
    given = options.parse_args()
    given.output.mkdir(parents=True, exist_ok=True)
    examples = asked(given.output / "train.json", range(TRAINED, TRAINED + 1), TRAIN_SEED, CASES)
    tests = asked(given.output / "test.json", range(1, len(TEMPLATES) + 1), TEST_SEED, TESTED)
    results: Results = {"before": [right_shares(new_policy(tests), tests)]}
    orders = [(payment, seed) for seed in range(given.seeds) for payment in get_args(Payment)]
    train = partial(trained, examples, tests, given.output, given.steps)
    for (payment, seed), shares in zip(orders, in_order(train, orders, workers=given.workers), strict=True):
        results.setdefault(payment, []).append(shares)
        (given.output / "results.json").write_bytes(msgspec.json.encode(results))
        print(f"{payment}, seed {seed}: {shares}", flush=True)
    print(table(results))


if __name__ == "__main__":
    main()
