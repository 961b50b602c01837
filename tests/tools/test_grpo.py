"""Training by reward, for a moment and on a processor."""

import pytest
import torch

from tools.embedded import grpo
from tools.embedded.grpo_questions import asked


@pytest.mark.slow
def test_a_step_is_paid_and_questions_are_made_once(tmp_path, monkeypatch):
    monkeypatch.setattr(grpo, "AT_ONCE", 2)
    monkeypatch.setattr(grpo, "SAMPLES", 2)
    examples = asked(tmp_path / "train.json", range(1, 2), 1, 2)
    assert asked(tmp_path / "train.json", range(1, 2), 1, 2) == examples
    assert [each.asking for each in examples] == ["factual", "counterfactual", "shown"] * 4
    policy = grpo.Policy(torch.device("cpu"))
    for payment in ("told", "paired"):
        assert all(0 <= paid <= 1.1 for paid in grpo.train(policy, examples, payment, 1, seed=0))
    before = grpo.tested(grpo.Policy(torch.device("cpu")), examples)
    assert before["factual, group"] == before["shown, group"] == 1.0
    assert "told control, group" in grpo.table({"before": [before]})
