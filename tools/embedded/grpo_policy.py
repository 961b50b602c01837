"""Wrap the embedded decoder for TRL's GRPOTrainer, train it and test it."""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from pathlib import Path
from random import Random
from statistics import mean
from typing import Any, Literal

import msgspec
import torch
from datasets import Dataset
from torch import Tensor, nn
from transformers import GenerationMixin, PretrainedConfig, PreTrainedModel, PreTrainedTokenizer
from transformers.modeling_outputs import BaseModelOutput, CausalLMOutput

from countersight.models.embedded import Tokenizer
from countersight.rewards import reward, trl_format_reward, trl_paired_reward, trl_reward
from tools.embedded.batches import new_tokenizer
from tools.embedded.config import read_plan
from tools.embedded.decoder import Decoder
from tools.embedded.decoder_training import new_decoder
from tools.embedded.grpo_questions import TRAINED, Asked
from tools.embedded.shipped import shipped_decoder

PROMPTS, SAMPLES, LONGEST = 128, 8, 6
"""Questions per step, sampled replies per question, and the most tokens of a reply."""
RATE, WARM_UP = 1e-4, 20
TEMPERATURE, FORMAT = 1.5, 0.1
"""The sampling temperature, and the reward for any readable answer: at first, the model says it does not know."""

Payment = Literal["told", "with controls", "paired"]
"""What is rewarded: "if" questions of cases, those of cases and controls, or both worlds of a case or control."""

Shares = dict[str, float]
"""Shares of right answers, by kind of question."""


class PolicyTokenizer(PreTrainedTokenizer):
    """The embedded model's tokenizer for TRL. A prompt is the number of a picture, a space, and the question.

    The first token encodes the picture: its number plus the size of the vocabulary.
    """

    def __init__(self) -> None:
        self._embedded: Tokenizer = new_tokenizer()
        self._numbers = {token: number for number, token in enumerate(self._embedded.vocabulary)}
        words = self._embedded.vocabulary
        super().__init__(pad_token=words[self._embedded.pad], eos_token=words[self._embedded.end])

    @property
    def vocab_size(self) -> int:
        return len(self._numbers)

    def get_vocab(self) -> dict[str, int]:
        return self._numbers

    def _convert_token_to_id(self, token: str) -> int:
        return self._numbers[token]

    def __call__(self, text: Iterable[str], **options: Any) -> dict[str, list[list[int]]]:
        prompts = [prompt.partition(" ") for prompt in text]
        turns = [self._embedded.conversation((("user", words),)) for _, _, words in prompts]
        pictures = [len(self._numbers) + int(number) for number, _, _ in prompts]
        return {"input_ids": [[picture, *tokens] for picture, tokens in zip(pictures, turns, strict=True)]}

    def batch_decode(self, sequences: Iterable[Sequence[int]], **options: Any) -> list[str]:
        return [self._embedded.decode(tokens) for tokens in sequences]


class Backbone(nn.Module):
    """The decoder without its last layer, and the encoder's counts for every picture (pictures × VALUES)."""

    seen: Tensor

    def __init__(self, decoder: Decoder, seen: Tensor) -> None:
        super().__init__()
        self.decoder = decoder
        self.register_buffer("seen", seen, persistent=False)

    def forward(self, input_ids: Tensor, attention_mask: Tensor, **options: Any) -> BaseModelOutput:
        """Return the states of tokens that TRL padded on the left; the decoder needs the padding on the right."""
        width, start = input_ids.shape[1], attention_mask.argmax(1, keepdim=True)
        pictures = input_ids.gather(1, start)[:, 0] - self.decoder.words.num_embeddings
        places = torch.arange(width, device=input_ids.device) - start - 1
        tokens = input_ids.gather(1, (places + 2 * (start + 1)).clamp(max=width - 1))
        states = self.decoder.norm(self.decoder.states(tokens, self.seen[pictures]))
        back = places.clamp(min=0)[:, :, None].expand(-1, -1, states.shape[2])
        return BaseModelOutput(last_hidden_state=states.gather(1, back))


class Policy(PreTrainedModel, GenerationMixin):
    """`embedded:factual` as a causal language model."""

    config_class = PretrainedConfig
    base_model_prefix = "backbone"
    main_input_name = "input_ids"

    def __init__(self, seen: Tensor) -> None:
        super().__init__(PretrainedConfig())
        plan = read_plan().decoder
        decoder = new_decoder(plan)
        decoder.load_state_dict(shipped_decoder("factual", plan))
        self.backbone = Backbone(decoder, seen)

    def get_output_embeddings(self) -> nn.Module:
        return self.backbone.decoder.next

    def forward(self, input_ids: Tensor, attention_mask: Tensor, **options: Any) -> CausalLMOutput:
        """Return the logits of the next token only; in training, TRL computes logits from the backbone."""
        states = self.backbone(input_ids, attention_mask).last_hidden_state
        return CausalLMOutput(logits=self.backbone.decoder.next(states[:, -1:]))

    def prepare_inputs_for_generation(
        self, input_ids: Tensor, attention_mask: Tensor | None = None, **options: Any
    ) -> dict[str, Any]:
        return {"input_ids": input_ids, "attention_mask": attention_mask}


def new_policy(questions: Sequence[Asked]) -> Policy:
    """Return the shipped model with the pictures of some questions, on the GPU if there is one."""
    policy = Policy(torch.tensor([each.values for each in questions]))
    return policy.to("cuda" if torch.cuda.is_available() else "cpu")


def trained(
    examples: Sequence[Asked], tests: Sequence[Asked], folder: Path, steps: int, order: tuple[Payment, int]
) -> Shares:
    """Train the shipped model with one kind of reward and one seed, and test it."""
    from trl import GRPOConfig, GRPOTrainer  # nothing else here needs TRL

    payment, seed = order
    torch.set_float32_matmul_precision("high")
    policy = new_policy([*examples, *tests])
    paid = trl_paired_reward if payment == "paired" else trl_reward
    trainer = GRPOTrainer(
        model=policy,
        processing_class=PolicyTokenizer(),
        reward_funcs=[paid, trl_format_reward],
        train_dataset=training_rows(examples, payment, seed),
        args=GRPOConfig(
            output_dir=str(folder),
            max_steps=steps,
            per_device_train_batch_size=PROMPTS * SAMPLES,
            num_generations=SAMPLES,
            max_completion_length=LONGEST,
            temperature=TEMPERATURE,
            reward_weights=[1.0, FORMAT],
            learning_rate=RATE,
            lr_scheduler_type="constant_with_warmup",
            warmup_steps=WARM_UP,
            adam_beta2=0.98,
            generation_kwargs={"use_cache": False},
            shuffle_dataset=False,  # the two worlds of a case must stay together
            gradient_checkpointing=False,
            bf16=False,
            seed=seed,
            logging_steps=max(1, steps // 4),
            save_strategy="no",
            report_to="none",
            disable_tqdm=True,
        ),
    )
    trainer.train()
    return right_shares(policy, tests, first=len(examples))


def training_rows(examples: Sequence[Asked], payment: Payment, seed: int) -> Dataset:
    """Return the training questions: cases in random order, with the questions of a case or control together."""
    cases: defaultdict[str, list[dict[str, str]]] = defaultdict(list)
    askings = ("factual", "counterfactual") if payment == "paired" else ("counterfactual",)
    for picture, each in enumerate(examples):
        if each.asking in askings and not (payment == "told" and each.control):
            name = f"{each.index}{'c' * each.control}"
            gold = msgspec.json.encode(each.question).decode()
            cases[name].append({"prompt": f"{picture} {each.words}", "key": f"{name}:{each.asking}", "gold": gold})
    order = list(cases.values())
    Random(seed).shuffle(order)
    return Dataset.from_list([row for rows in order for row in rows])


@torch.no_grad()
def right_shares(policy: Policy, tests: Sequence[Asked], *, first: int = 0) -> Shares:
    """Return the shares of right greedy replies: told, controls, factual and shown, for this group and for others.

    `first` is the number of the first question's picture.
    """
    tokenizer = PolicyTokenizer()
    right: defaultdict[str, list[float]] = defaultdict(list)
    for start in range(0, len(tests), 512):
        part = tests[start : start + 512]
        rows = tokenizer(f"{first + start + nth} {each.words}" for nth, each in enumerate(part))["input_ids"]
        most = max(map(len, rows))
        tokens = torch.tensor([[tokenizer.pad_token_id] * (most - len(row)) + row for row in rows])
        written = policy.generate(
            tokens.to(policy.device),
            attention_mask=(tokens != tokenizer.pad_token_id).long().to(policy.device),
            max_new_tokens=LONGEST,
            do_sample=False,
            use_cache=False,
            eos_token_id=tokenizer.eos_token_id,
            pad_token_id=tokenizer.pad_token_id,
        )
        for text, each in zip(tokenizer.batch_decode(written[:, most:].tolist()), part, strict=True):
            if each.control and each.asking == "factual":
                continue  # the same question as that of its case
            what = "told" if each.asking == "counterfactual" else each.asking
            where = "group" if each.template == TRAINED else "others"
            right[f"{what}{' control' if each.control else ''}, {where}"].append(reward(text, each.question))
    return {name: mean(found) for name, found in sorted(right.items())}
