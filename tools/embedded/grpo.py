"""`python -m tools.embedded.grpo -o FOLDER`: teach `embedded:factual` one kind of "if" by reward alone (GRPO).

The model sees well and has never met a supposed change. It is paid by `countersight.rewards` for questions of one group
of cvqa-synthetic, made from a training seed, and tested on cases of another seed: of the group, of the other groups,
controls (a change that does not touch what is asked), the picture as it is, and the picture after the change.
"""

import argparse
from collections import defaultdict
from collections.abc import Iterator, Sequence
from functools import cache
from pathlib import Path
from random import Random
from statistics import mean
from typing import Literal, get_args

import msgspec
import torch
from torch import Tensor
from torch.nn.utils import clip_grad_norm_

from countersight.case import Question
from countersight.rewards import reward
from countersight.suites.cvqa import TEMPLATES
from tools.embedded.batches import new_tokenizer
from tools.embedded.config import read_plan
from tools.embedded.decoder import Decoder
from tools.embedded.decoder_training import new_decoder
from tools.embedded.grpo_questions import Asked, asked
from tools.embedded.shipped import shipped_decoder

TRAINED = 1
"""The template that is trained on: all polygons of one colour."""
TRAIN_SEED, TEST_SEED = 1, 1_000_000
CASES, TESTED = 1500, 100
"""Cases to train on, and cases of each template to test with."""
AT_ONCE, SAMPLES, LONGEST = 128, 8, 6
"""Questions of a step, replies sampled to each, and tokens of the longest reply."""
RATE, WARM_UP = 1e-4, 20
TEMPERATURE, FORMAT = 1.5, 0.1
"""Of sampling, and what any answer that can be read is worth: the model begins by saying that it does not know."""

Payment = Literal["told", "with controls", "paired"]
"""What is paid: told questions, those of cases and controls, or both worlds of a case or control at once."""


Results = dict[str, list[dict[str, float]]]
"""By what was paid, for each seed, the shares of right answers."""


class Policy:
    """The decoder with its optimizer."""

    def __init__(self, device: torch.device) -> None:
        plan = read_plan().decoder
        self.decoder: Decoder = new_decoder(plan)
        self.decoder.load_state_dict(shipped_decoder("factual", plan))
        self.decoder.to(device)
        self.optimizer = torch.optim.AdamW(self.decoder.parameters(), RATE, betas=(0.9, 0.98), weight_decay=0.0)
        self.device, self._tokenizer = device, new_tokenizer()

    @torch.no_grad()
    def write(self, questions: Sequence[Asked], *, greedy: bool = False) -> tuple[list[str], Tensor, Tensor, Tensor]:
        """A reply to each question, with tokens, values, and where in the tokens it speaks (row, place)."""
        prompts = [self._tokenizer.conversation((("user", each.words),)) for each in questions]
        lengths = [len(prompt) for prompt in prompts]
        most = max(lengths) + LONGEST
        padded = [prompt + [self._tokenizer.pad] * (most - len(prompt)) for prompt in prompts]
        tokens = torch.tensor(padded, device=self.device)
        starts = torch.tensor(lengths, device=self.device)
        values = torch.tensor([each.values for each in questions], device=self.device)
        rows = torch.arange(len(prompts), device=self.device)
        spoken = torch.zeros(len(prompts), LONGEST, dtype=torch.bool, device=self.device)
        going = torch.ones(len(prompts), dtype=torch.bool, device=self.device)
        for nth in range(LONGEST):
            logits = self.decoder.logits_at(tokens, values, rows * most + starts + nth - 1).float()
            chosen = logits.argmax(-1) if greedy else torch.multinomial((logits / TEMPERATURE).softmax(-1), 1)[:, 0]
            tokens[rows[going], (starts + nth)[going]] = chosen[going]
            spoken[:, nth] = going
            going = going & (chosen != self._tokenizer.end)
            if not going.any():
                break
        said = zip(tokens.tolist(), lengths, spoken.sum(1).tolist(), strict=True)
        texts = [self._tokenizer.decode(row[start : start + count]) for row, start, count in said]
        row, nth_of = spoken.nonzero(as_tuple=True)
        return texts, tokens, values, torch.stack((row, starts[row] + nth_of))

    def learn(self, tokens: Tensor, values: Tensor, places: Tensor, advantages: Tensor) -> None:
        """One step of GRPO. Replies are used once, so that no ratio has to be clipped."""
        row, place = places
        logits = self.decoder.logits_at(tokens, values, row * tokens.shape[1] + place - 1).float()
        logs = (logits / TEMPERATURE).log_softmax(-1).gather(1, tokens[row, place][:, None])[:, 0]
        loss = -(logs * advantages[row]).sum() / len(tokens)
        self.optimizer.zero_grad(set_to_none=True)
        loss.backward()
        clip_grad_norm_(self.decoder.parameters(), 1.0)
        self.optimizer.step()


def paid(texts: Sequence[str], questions: Sequence[Asked], payment: Payment) -> list[float]:
    """What each reply is paid; in pairs, the second half of the questions are the other world's of the first."""
    if payment != "paired":
        return [_worth(text, each.question, FORMAT) for text, each in zip(texts, questions, strict=True)]
    half = len(texts) // 2
    pairs = zip(texts[:half], texts[half:], questions[:half], questions[half:], strict=True)
    return [min(_worth(one, a.question, FORMAT), _worth(other, b.question, FORMAT)) for one, other, a, b in pairs] * 2


@cache
def _worth(text: str, question: Question, format_weight: float = 0.0) -> float:
    return reward(text, question, format_weight=format_weight)


def train(policy: Policy, examples: Sequence[Asked], payment: Payment, steps: int, seed: int) -> Iterator[float]:
    """Train, and tell what was paid on average at each step."""
    rng = Random(f"{seed}/{payment}")
    torch.manual_seed(seed)
    kept = [each for each in examples if payment != "told" or not each.control]
    told = [each for each in kept if each.asking == "counterfactual"]
    factual = {(each.index, each.control): each for each in kept if each.asking == "factual"}
    for step in range(steps):
        for group in policy.optimizer.param_groups:
            group["lr"] = RATE * min(1.0, (step + 1) / WARM_UP)
        drawn = rng.sample(told, AT_ONCE // 2 if payment == "paired" else AT_ONCE)
        if payment == "paired":
            drawn += [factual[each.index, each.control] for each in drawn]
        batch = [each for each in drawn for _ in range(SAMPLES)]
        texts, tokens, values, places = policy.write(batch)
        rewards = torch.tensor(paid(texts, batch, payment), device=policy.device).view(-1, SAMPLES)
        apart = rewards - rewards.mean(1, keepdim=True)
        policy.learn(tokens, values, places, (apart / (rewards.std(1, keepdim=True) + 1e-4)).flatten())
        yield float(rewards.mean())


def tested(policy: Policy, examples: Sequence[Asked]) -> dict[str, float]:
    """The share of greedy replies that are right: told, controls, factual and shown, of the group and of the others."""
    right: defaultdict[str, list[float]] = defaultdict(list)
    for start in range(0, len(examples), 512):
        part = examples[start : start + 512]
        for text, each in zip(policy.write(part, greedy=True)[0], part, strict=True):
            if each.control and each.asking == "factual":
                continue  # the same question as that of its case
            what = "told" if each.asking == "counterfactual" else each.asking
            where = "group" if each.template == TRAINED else "others"
            right[f"{what}{' control' if each.control else ''}, {where}"].append(_worth(text, each.question))
    return {name: mean(found) for name, found in sorted(right.items())}


def table(results: Results) -> str:
    """What is right, in per cent: the mean over the seeds, and from the least to the most where they differ."""
    lines = [f"{'':24}" + "".join(f"{name:>20}" for name in results)]
    for name in results["before"][0]:
        shares = [[100 * found[name] for found in runs] for runs in results.values()]
        cells = [
            f"{mean(each):.1f}" + (f" ({min(each):.1f}-{max(each):.1f})" * (len(set(each)) > 1)) for each in shares
        ]
        lines.append(f"{name:24}" + "".join(f"{cell:>20}" for cell in cells))
    return "\n".join(lines)


def main() -> None:
    """Train with each payment and several seeds, and print what came out."""
    asked_for = argparse.ArgumentParser(prog="python -m tools.embedded.grpo", description=__doc__)
    asked_for.add_argument("-o", "--output", type=Path, required=True, metavar="DIR", help="questions and results")
    asked_for.add_argument("--steps", type=int, default=300)
    asked_for.add_argument("--seeds", type=int, default=2)
    given = asked_for.parse_args()
    given.output.mkdir(parents=True, exist_ok=True)
    examples = asked(given.output / "train.json", range(TRAINED, TRAINED + 1), TRAIN_SEED, CASES)
    tests = asked(given.output / "test.json", range(1, len(TEMPLATES) + 1), TEST_SEED, TESTED)
    torch.set_float32_matmul_precision("high")
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    results: Results = {"before": [tested(Policy(device), tests)]}
    for seed in range(given.seeds):
        for payment in get_args(Payment):
            policy = Policy(device)
            for step, amount in enumerate(train(policy, examples, payment, given.steps, seed), 1):
                if step % 50 == 0:
                    print(f"{payment}, seed {seed}: step {step}, paid {amount:.3f}", flush=True)
            results.setdefault(payment, []).append(tested(policy, tests))
            (given.output / "results.json").write_bytes(msgspec.json.encode(results))
    print(table(results))


if __name__ == "__main__":
    main()
