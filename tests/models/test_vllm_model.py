"""Models run by vLLM in this process, with a stand-in package that has vLLM's documented functions."""

import asyncio
import sys
from types import ModuleType, SimpleNamespace

import pytest
from making import dataset
from running import ask, replies

from countersight.case import Option
from countersight.errors import AskingFailed, ModelError
from countersight.models import ModelSettings, Request, Turn, open_model

OPTIONS = ("3", "5", "7", "9")


class SamplingParams:
    def __init__(self, *, max_tokens, temperature=1.0, seed=None, prompt_logprobs=None) -> None:
        self.max_tokens, self.temperature, self.seed = max_tokens, temperature, seed
        self.prompt_logprobs = prompt_logprobs


class LLM:
    """Always answers B and finds "7" likely; questions about smoke are too long."""

    def __init__(self, model, dtype="auto", seed=0, **options) -> None:
        self.calls = []
        self.options = options
        made.append(self)
        if model == "gone":
            raise ValueError("gone is no model")

    def chat(self, messages, sampling_params, *, use_tqdm, add_generation_prompt, continue_final_message):
        assert add_generation_prompt != continue_final_message
        self.calls.append((messages, sampling_params))
        return [self._output(one, sampling_params) for one in messages]

    def _output(self, messages, sampling):
        said = "".join(
            part if isinstance(part, str) else str(part.get("text", "")) for one in messages for part in one["content"]
        )
        if "smoke" in said:
            raise ValueError("The prompt is longer than the maximum model length")
        tokens = [ord(sign) for sign in said]
        logprobs = None
        if sampling.prompt_logprobs is not None:
            assert sampling.prompt_logprobs == 0
            logprobs = [None] + [
                {token: SimpleNamespace(logprob=-0.1 if token == ord("7") else -3.0, decoded_token=chr(token))}
                for token in tokens[1:]
            ]
        answer = SimpleNamespace(text="<think>Hm.</think>B", token_ids=[1, 2], finish_reason="stop")
        return SimpleNamespace(outputs=[answer], prompt_token_ids=tokens, prompt_logprobs=logprobs)


made: list[LLM] = []


@pytest.fixture(autouse=True)
def vllm(monkeypatch):
    made.clear()
    package = ModuleType("vllm")
    package.LLM, package.SamplingParams, package.__version__ = LLM, SamplingParams, "0.0"
    monkeypatch.setitem(sys.modules, "vllm", package)


def request(text: str, options=()) -> Request:
    return Request(text, (Turn("user", text),), "choice", tuple(map(Option, options)))


def asked(*requests, how="reply", name="vllm:m"):
    async def together():
        model = open_model(name, ModelSettings(seed=4))
        try:
            return await asyncio.gather(*(getattr(model, how)(one) for one in requests), return_exceptions=True)
        finally:
            await model.close()

    return asyncio.run(together())


def test_a_run_sends_pictures_and_separates_reasoning(tmp_path) -> None:
    ask(dataset(tmp_path / "data", 4), tmp_path / "run", open_model("vllm:m"))
    assert [(reply.text, reply.reasoning) for reply in replies(tmp_path / "run")] == [("B", "Hm.")] * 8
    content = made[0].calls[0][0][0][0]["content"]
    assert content[0]["image_url"]["url"].startswith("data:image/")


def test_concurrent_requests_are_computed_in_one_batch() -> None:
    said = asked(*(request(f"Question {nth}?") for nth in range(40)))
    assert [one.text for one in said] == ["B"] * 40
    (engine,) = made
    assert max(len(messages) for messages, _ in engine.calls) == 40
    sampling = engine.calls[0][1]
    assert (sampling.max_tokens, sampling.temperature, sampling.seed) == (256, 0.0, 4)


def test_an_invalid_request_fails_alone() -> None:
    first, second, third = asked(request("One?"), request("Where is the smoke?"), request("Three?"))
    assert (first.text, third.text) == ("B", "B")
    assert isinstance(second, AskingFailed)
    assert not second.again
    assert "longer than the maximum" in str(second)


def test_options_are_ranked_by_the_probabilities_of_their_tokens() -> None:
    (losses,) = asked(request("How many?", OPTIONS), how="losses")
    assert losses == pytest.approx((3.0, 3.0, 0.1, 3.0))


def test_options_in_the_name_are_passed_to_vllm() -> None:
    asked(request("One?"), name="vllm:m?max_model_len=4096&tensor_parallel_size=2&gpu_memory_utilization=0.8")
    options = {"max_model_len": 4096, "tensor_parallel_size": 2, "gpu_memory_utilization": 0.8}
    assert made[0].options == options | {"limit_mm_per_prompt": {"video": 0, "audio": 0}}
    with pytest.raises(ModelError, match="max_model_len=long is not a number"):
        open_model("vllm:m?max_model_len=long")
    with pytest.raises(ModelError, match="no option 'quick'"):
        open_model("vllm:m?quick=1")


def test_a_missing_package_or_model_is_reported(monkeypatch) -> None:
    [failure] = asked(request("One?"), name="vllm:gone")
    assert isinstance(failure, ModelError)
    assert str(failure) == "vLLM cannot load vllm:gone: gone is no model"
    monkeypatch.setitem(sys.modules, "vllm", None)
    with pytest.raises(ModelError, match="needs vLLM, which is not installed"):
        open_model("vllm:m")
