"""The environment that `export --to verifiers` names: fresh cases from seeds as tasks, paid by `countersight.rewards`.

The only module that needs verifiers; the exported package imports it. One task is one question or, in pairs, one case:
both worlds are then asked in turn, and paid only where both replies are right.
"""

from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, ClassVar

import msgspec
import verifiers.v1 as vf
from openai import AsyncOpenAI
from verifiers.v1.dialects.chat import message_to_wire
from verifiers.v1.runtimes import ProgramResult
from verifiers.v1.types import ImageUrlContentPart, ImageUrlSource, TextContentPart, UserMessage

from countersight.case import WORLDS, Asking, Question, Reply
from countersight.dataset import Dataset
from countersight.errors import ExchangeError
from countersight.exchange.hugging_face import load_pictures
from countersight.exchange.named_questions import NamedQuestion, questions_of
from countersight.picture import data_url
from countersight.rewards import paired_reward, reward
from countersight.scoring import OUTCOMES, judge
from countersight.suites import find_suite, way_of

BLOCK = 100
"""Cases made from one seed before the next seed is used."""
_SCORED = ("right", "wrong", "unread")


class QuestionData(vf.TaskData):
    """One question with its gold answer; `other` is the question of the other world if pairs are asked."""

    case: str
    asking: Asking
    gold: str
    group: str
    control: bool
    seed: int
    paired: bool
    other: "QuestionData | None" = None


class QuestionTask(vf.Task[QuestionData]):
    """The reward and the metrics of a reply."""

    @property
    def key(self) -> str:
        """The name of the task, independent of its position."""
        return f"{self.data.seed}/{self.data.case}:{self.data.asking}"

    @vf.reward
    async def right(self, trace: vf.Trace) -> float | dict[str, float]:
        """Return 1 for a right reply, otherwise 0; pairs are rewarded as a whole."""
        return {} if self.data.paired else reward(reply_of(trace), self.data.gold)

    @vf.metric
    async def figures(self, trace: vf.Trace) -> dict[str, float]:
        """Accuracy by asking (controls apart), and what became of a reply that is not right or wrong."""
        judged = judge(reply_of(trace), msgspec.json.decode(self.data.gold, type=Question))
        outcome = OUTCOMES[judged.code]
        if outcome not in _SCORED:  # cut or empty: in no accuracy, as in `countersight score`
            return {str(outcome): 1.0}
        return {"control" if self.data.control else self.data.asking: judged.credit, "unread": outcome == "unread"}


class QuestionConfig(vf.TasksetConfig):
    """Which cases are made."""

    suite: str = ""
    seed: int | None = None
    """The first seed; nothing for the first after those to test with."""
    size: int = 600
    """Cases, without controls."""
    controls: bool = False
    paired: bool = False


class FreshCases(vf.Taskset[QuestionTask, QuestionConfig]):
    """Cases made of seeds, none of which is there to test with. An exported package names the suite and those seeds."""

    SUITE: ClassVar[str] = ""
    TEST_SEEDS: ClassVar[tuple[int, ...]] = ()

    def load(self) -> Iterator[QuestionTask]:
        """Make the cases block by block, as they are asked for."""
        left = self.config.size
        for seed in self._seeds():
            if left <= 0:
                return
            yield from self._made(seed, min(BLOCK, left))
            left -= BLOCK

    def _seeds(self) -> Iterator[int]:
        seed = max(self.TEST_SEEDS, default=0) + 1 if self.config.seed is None else self.config.seed
        if seed in self.TEST_SEEDS:
            raise ExchangeError(f"the seed {seed} is reserved for testing; choose another one")
        while True:
            if seed not in self.TEST_SEEDS:
                yield seed
            seed += 1

    def _made(self, seed: int, size: int) -> Iterator[QuestionTask]:
        suite = find_suite(self.config.suite or self.SUITE)
        own: dict[str, Any] = {"controls": True} if self.config.controls else {}
        way_of(suite, None, own=own, size=size)
        with TemporaryDirectory() as folder:
            suite.make(Path(folder) / "cases", size=size, seed=seed, **own)
            dataset = Dataset.open(Path(folder) / "cases")
            for row, case in dataset.cases():
                asked = [each for each in questions_of(row, case) if each.asking != "shown"]
                whole = self.config.paired and len(asked) == 2
                parts = [_data(each, dataset, seed, paired=whole) for each in asked]
                if whole:
                    parts = [parts[0].model_copy(update={"other": parts[1]})]
                yield from (QuestionTask(part, self.config.task) for part in parts)


def _data(asked: NamedQuestion, dataset: Dataset, seed: int, *, paired: bool) -> QuestionData:
    pictures = load_pictures(dataset, asked.pictures, asked.row)
    urls = [ImageUrlSource(url=data_url(picture.mime, picture.data)) for _, picture in pictures]
    content = [*(ImageUrlContentPart(image_url=url) for url in urls), TextContentPart(text=asked.words)]
    return QuestionData(
        id=f"{seed}/{asked.key}",
        prompt=[UserMessage(content=content)],
        case=asked.case.id,
        asking=asked.asking,
        gold=msgspec.json.encode(asked.question).decode(),
        group=asked.case.group,
        control=bool(asked.case.control_of),
        seed=seed,
        paired=paired,
    )


def reply_of(trace: vf.Trace) -> Reply:
    """Return the text of a reply, and whether the token limit ended it."""
    data = trace.task.data
    finish = "length" if trace.is_truncated else "stop"
    return Reply(data.case, 0, *WORLDS[data.asking], text=trace.last_reply, finish=finish)


class OneReply(vf.Harness[vf.HarnessConfig]):
    """Asks the model once, without starting a program."""

    APPENDS_SYSTEM_PROMPT = True
    EXECUTES_CODE = False
    NEEDS_CONTAINER = False

    async def launch(
        self,
        ctx: vf.ModelContext,
        trace: vf.Trace,
        runtime: vf.Runtime,
        endpoint: str,
        secret: str,
        mcp_urls: dict[str, str],
        data: vf.TaskData,
    ) -> ProgramResult:
        """Send the question."""
        system, prompt = self.resolve_prompt(data)
        messages = [message_to_wire(message) for message in prompt or ()]
        if system:
            messages.insert(0, {"role": "system", "content": system})
        async with AsyncOpenAI(base_url=endpoint, api_key=secret) as client:
            await client.chat.completions.create(model=ctx.model, messages=messages)
        return ProgramResult(exit_code=0, stdout="", stderr="")


class QuestionEnvConfig(vf.EnvConfig):
    """The configuration: one model answers, and no container is needed."""

    agent: vf.AgentConfig = vf.AgentConfig(runtime=vf.SubprocessConfig())


class QuestionEnv(vf.Env[QuestionEnvConfig]):
    """Asks each question of a task; a pair is rewarded when both replies are there."""

    async def run(self, task: QuestionTask, agents: vf.Agents) -> None:
        """Ask the question, and then the one of the other world, if there is one."""
        await agents.agent.run(task)
        if task.data.other is not None:
            await agents.agent.run(QuestionTask(task.data.other, task.config))

    async def finalize(self, task: QuestionTask, episode: vf.Episode) -> None:
        """Reward a pair, and record the metrics that only exist for pairs."""
        if task.data.other is None or not all(trace.ok for trace in episode.traces):
            return
        replies = [reply_of(trace) for trace in episode.traces]
        both = paired_reward(replies, [trace.task.data.gold for trace in episode.traces])
        found = [trace.metrics.get(trace.task.data.asking) for trace in episode.traces]
        for trace in episode.traces:
            trace.record_reward("both_right", both)
            if None not in found:  # a control, or cut: in no figure of pairs
                trace.record_metrics({"both_right": both, "drop": found[0] - found[1]})


def open_environment(package: str, **config: Any) -> vf.Env:
    """Return the environment of an exported package, with cases as configured."""
    return vf.load_environment(vf.resolve_env_config({"taskset": {"id": package, **config}}))
