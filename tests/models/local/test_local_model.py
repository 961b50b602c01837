"""`hf:PATH` as the rest of the program uses it: replies, ranking, memory limits, closing, and the command line."""

import asyncio
import json
import math
from collections.abc import Callable
from pathlib import Path
from typing import Any

import making
import pytest
import torch
from models.local.talks import mixed, picture, request
from msgspec.structs import replace

from countersight.cli import main
from countersight.engine import RunFolder
from countersight.errors import ModelError
from countersight.models import open_model
from countersight.models.local.loading import Loaded, load
from countersight.models.local.model import LocalModel
from countersight.models.local.probing import writes_in_batches
from countersight.models.protocol import Answer, Model, ModelSettings, Ranker, Request
from countersight.models.request_queue import Feed
from countersight.scoring import score_run

Folders = Callable[[str], Path]
CPU = ModelSettings(max_tokens=4, device="cpu")


def ask(model: Model, requests: list[Request], call: str = "reply") -> list[Any]:
    async def asking() -> list[Any]:
        try:
            return await asyncio.gather(*(getattr(model, call)(one) for one in requests), return_exceptions=True)
        finally:
            await model.close()

    return asyncio.run(asking())


def opened(folder: Path, settings: ModelSettings = CPU) -> LocalModel:
    model = open_model(f"hf:{folder}", settings)
    assert isinstance(model, LocalModel)
    assert isinstance(model, Ranker)
    return model


@pytest.mark.parametrize("family", ["qwen2_5_vl", "blip_2_t5"])
def test_a_closed_model_can_be_used_again(family: str, tiny_folder: Folders) -> None:
    model = opened(tiny_folder(family))
    answers = ask(model, mixed())
    assert all(isinstance(answer, Answer) for answer in answers), answers
    assert all(answer.tokens_in > 4 and 1 <= answer.tokens_out <= 4 for answer in answers)
    options = [request("How many?", picture(seed=seed), "one", "two of them", "red") for seed in range(3)]
    losses = ask(model, options, "losses")
    assert all(len(each) == 3 and all(math.isfinite(loss) and loss > 0 for loss in each) for each in losses), losses


def test_batches_are_halved_until_they_fit_into_memory(tiny_folder: Folders, monkeypatch: pytest.MonkeyPatch) -> None:
    sizes = []

    def short_of_memory(model: Any, given: Any, named: dict[str, Any]) -> None:
        if named["input_ids"].shape[1] > 1:  # the prompt, not what is said after it
            sizes.append(len(named["input_ids"]))
        if len(named["input_ids"]) > 3:
            raise torch.OutOfMemoryError("CUDA out of memory")

    def loaded(*given: Any, **named: Any) -> Loaded:
        found = load(*given, **named)
        assert writes_in_batches(found)  # tried before memory is short
        found.model.register_forward_pre_hook(short_of_memory, with_kwargs=True)
        return found

    requests = [request(f"How many cats? {number:2}", picture(seed=number), key=str(number)) for number in range(14)]
    expected = [answer.text for answer in ask(opened(tiny_folder("llava")), requests)]
    monkeypatch.setattr("countersight.models.local.model.load", loaded)
    answers = ask(opened(tiny_folder("llava")), requests)
    assert [answer.text for answer in answers] == expected
    too_large = [size for size in sizes if size > 3]
    assert too_large
    assert too_large == sorted(set(too_large), reverse=True), "what did not fit once is not tried again"


def test_a_batch_size_can_be_given(tiny_folder: Folders, monkeypatch: pytest.MonkeyPatch) -> None:
    from countersight.models.local import writing

    sizes, written = [], writing.write_answers

    def counted(loaded: Any, requests: Feed, *rest: Any) -> Any:
        sizes.append(len(requests))
        return written(loaded, requests, *rest)

    monkeypatch.setattr(writing, "write_answers", counted)
    requests = [request("How many?", picture(), key=str(number)) for number in range(7)]
    ask(opened(tiny_folder("llava"), ModelSettings(max_tokens=2, device="cpu", batch=3)), requests)
    assert sum(sizes) == 7
    assert max(sizes) == 3


def test_settings_are_known_and_checked_before_loading(tiny_folder: Folders) -> None:
    model = opened(tiny_folder("llava"), ModelSettings(seed=5, max_tokens=9, device="cpu"))
    expected = {"max_tokens": 9, "temperature": 0.0, "seed": 5, "dtype": "float32"}
    assert model.settings.items() >= expected.items()
    assert len(model.settings["weights"]) == 12
    assert model.picture_limits == (0, 64)
    assert opened(tiny_folder("blip_2")).picture_limits == (1, 1)
    with pytest.raises(ModelError, match="there is no device 'xpu:99'"):
        open_model(f"hf:{tiny_folder('llava')}", ModelSettings(device="xpu:99"))


def test_a_run_with_a_local_model(tiny_folder: Folders, tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    dataset, model = making.dataset(tmp_path / "data", 6), f"hf:{tiny_folder('llava')}"
    command = ["run", str(dataset), "--model", model, "--device", "cpu", "--max-tokens", "3", "--batch-size", "5"]
    assert main([*command, "-o", str(tmp_path / "run")]) == 0
    replies = [json.loads(line) for line in (tmp_path / "run" / "replies.jsonl").read_text().splitlines()]
    assert len(replies) == 12
    assert all(reply.get("state", "answered") == "answered" for reply in replies)
    assert {reply["tokens_out"] for reply in replies} <= {1, 2, 3}
    assert json.loads((tmp_path / "run" / "run.json").read_text())["model"] == model
    assert main([*command, "-o", str(tmp_path / "run")]) == 0  # nothing is left to ask
    assert len((tmp_path / "run" / "replies.jsonl").read_text().splitlines()) == 12
    assert main(["report", str(tmp_path / "run"), "-o", str(tmp_path / "report")]) == 0
    capfd.readouterr()
    assert main([*command[:-1], "2", "--dtype", "bfloat16", "-o", str(tmp_path / "run")]) == 2
    assert "a different set of settings" in capfd.readouterr().err


def test_a_run_of_an_earlier_version_can_be_continued(tiny_folder: Folders, tmp_path: Path) -> None:
    """Earlier versions also recorded the ranking plan, which does not change losses."""
    dataset = making.dataset(tmp_path / "data", 3)
    command = ["run", str(dataset), "--model", f"hf:{tiny_folder('qwen2_5_vl')}", "--device", "cpu", "--rank"]
    assert main([*command, "-o", str(tmp_path / "run")]) == 0
    manifest, journal = tmp_path / "run" / "run.json", tmp_path / "run" / "replies.jsonl"
    begun = json.loads(manifest.read_text())
    manifest.write_text(json.dumps({**begun, "settings": {**begun["settings"], "ranking": "plain"}}))
    lines = journal.read_text().splitlines(keepends=True)
    journal.write_text("".join(lines[:2]))
    assert main([*command, "-o", str(tmp_path / "run")]) == 0
    assert len(journal.read_text().splitlines()) == len(lines)


def test_a_model_that_cannot_share_a_prefix_is_reported(
    tiny_folder: Folders, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    dataset = making.dataset(tmp_path / "data", 2)
    command = ["run", str(dataset), "--model", f"hf:{tiny_folder('blip_2_t5')}", "--device", "cpu", "--rank"]
    assert main([*command, "-o", str(tmp_path / "run")]) == 0
    assert "computed in full" in capfd.readouterr().err


def test_a_missing_model_is_reported_and_leaves_no_run(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    dataset = making.dataset(tmp_path / "data", 1)
    assert main(["run", str(dataset), "--model", "hf:nobody/nothing", "-o", str(tmp_path / "run")]) == 2
    said = capfd.readouterr().err.strip().splitlines()
    assert said == [
        "countersight: the model 'nobody/nothing' is not on this machine; download it with: hf download nobody/nothing"
    ]
    assert not (tmp_path / "run").exists()


def test_unread_replies_are_restated_by_ranking_the_options_after_them(tmp_path: Path, tiny_folder: Folders) -> None:
    dataset, run = making.dataset(tmp_path / "data", 3), tmp_path / "run"
    command = ["run", str(dataset), "--model", f"hf:{tiny_folder('qwen2_5_vl')}", "--device", "cpu", "-o", str(run)]
    main([*command, "--max-tokens", "4"])
    said = [replace(reply, text="It is hard to say.", finish="stop") for reply in RunFolder.open(run).replies()]
    (run / "replies.jsonl").write_bytes(b"")
    with RunFolder.open(run).writing() as journal:
        for reply in said:
            journal.append(reply)
    assert score_run(run).overall.unread == 6
    assert main([*command, "--again", "unread"]) == 0
    found = score_run(run).overall
    assert (found.unread, found.restated) == (0, 6)
    last = list(RunFolder.open(run).replies())[-1]
    assert len(last.losses) == 4
    assert last.text == "ABCD"[last.losses.index(min(last.losses))]
