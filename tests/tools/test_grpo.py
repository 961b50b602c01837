"""The model that TRL trains by reward: `make peers` trains it for a step."""

import pytest
import torch

from tools.embedded.batches import new_tokenizer
from tools.embedded.grpo import table
from tools.embedded.grpo_policy import PolicyTokenizer, new_policy, right_shares, training_rows
from tools.embedded.grpo_questions import asked

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def examples(tmp_path_factory):
    file = tmp_path_factory.mktemp("grpo") / "train.json"
    made = asked(file, range(1, 2), 1, 2)
    assert asked(file, range(1, 2), 1, 2) == made  # kept in the file
    return made


def test_the_policy_says_what_the_decoder_says_however_a_batch_is_padded(examples):
    policy, tokenizer = new_policy(examples), PolicyTokenizer()
    rows = tokenizer(f"{number} {each.words}" for number, each in enumerate(examples))["input_ids"]
    most = max(map(len, rows)) + 3
    padded = torch.tensor([[tokenizer.pad_token_id] * (most - len(row)) + row for row in rows])
    with torch.no_grad():
        said = policy(padded, (padded != tokenizer.pad_token_id).long()).logits[:, -1]
        for number, each in enumerate(examples):
            alone = torch.tensor([new_tokenizer().conversation((("user", each.words),))])
            seen, last = torch.tensor([each.values]), torch.tensor([alone.shape[1] - 1])
            expected = policy.backbone.decoder.logits_at(alone, seen, last)[0]
            torch.testing.assert_close(said[number], expected, atol=1e-4, rtol=1e-4)


def test_before_training_the_model_sees_well(examples):
    shares = right_shares(new_policy(examples), examples)
    assert shares["factual, group"] == shares["shown, group"] == 1.0
    assert "told control, group" in table({"before": [shares]})


def test_rows_keep_both_worlds_of_a_case_together(examples):
    paired = training_rows(examples, "paired", 0)["key"]
    assert sorted(paired) == sorted(f"{case}:{asking}" for case in ("0", "0c", "1", "1c") for asking in BOTH)
    assert [key.partition(":")[0] for key in paired[::2]] == [key.partition(":")[0] for key in paired[1::2]]
    assert sorted(training_rows(examples, "told", 0)["key"]) == ["0:counterfactual", "1:counterfactual"]
    assert len(training_rows(examples, "with controls", 0)) == 4


BOTH = ("factual", "counterfactual")
