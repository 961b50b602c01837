"""The environment of `export --to verifiers`: new cases from seeds as tasks, rewarded by `countersight.rewards`.

This is the only module that needs verifiers; the exported package imports it. A task is one question or, for pairs,
one case. The two questions of a pair are asked in turn, and rewarded only if both replies are right.
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

from countersight.case import WORLDS, Question, QuestionVariant, Reply
from countersight.dataset import Dataset
from countersight.errors import ExchangeError
from countersight.exchange.exported_questions import NamedQuestion, load_pictures, questions_of
from countersight.picture import data_url
from countersight.rewards import paired_reward, reward
from countersight.scoring import OUTCOMES, judge
from countersight.suites import find_suite, way_of

BLOCK = 100
"""The number of cases generated from one seed."""
_SCORED = ("right", "wrong", "unread")


class QuestionData(vf.TaskData):
    """One question with its gold answer; for pairs, `other` is the question of the other world."""

    case: str
    asking: QuestionVariant
    gold: str
    group: str
    control: bool
    seed: int
    paired: bool
    other: "QuestionData | None" = None


class QuestionTask(vf.Task[QuestionData]):
    """A task that asks one question, with the reward and the metrics of the reply."""

    @property
    def key(self) -> str:
        """The name of the task, which does not depend on its position."""
        return f"{self.data.seed}/{self.data.case}:{self.data.asking}"

    @vf.reward
    async def right(self, trace: vf.Trace) -> float | dict[str, float]:
        """Return 1 for a right reply, otherwise 0; the questions of a pair get no reward here."""
        return {} if self.data.paired else reward(reply_of(trace), self.data.gold)

    @vf.metric
    async def figures(self, trace: vf.Trace) -> dict[str, float]:
        """Return the accuracy by question variant (controls separately), or the outcome of an unscored reply."""
        judged = judge(reply_of(trace), msgspec.json.decode(self.data.gold, type=Question))
        outcome = OUTCOMES[judged.code]
        if outcome not in _SCORED:  # truncated or empty: excluded from accuracy, as in `countersight score`
            return {str(outcome): 1.0}
        return {"control" if self.data.control else self.data.asking: judged.credit, "unread": outcome == "unread"}


class QuestionConfig(vf.TasksetConfig):
    """The settings of the generated cases."""

    suite: str = ""
    seed: int | None = None
    """The first seed; by default, the first seed after those reserved for testing."""
    size: int = 600
    """The number of cases, without controls."""
    controls: bool = False
    paired: bool = False


class FreshCases(vf.Taskset[QuestionTask, QuestionConfig]):
    """Cases generated from seeds that are not reserved for testing. Subclasses define the suite and the test seeds."""

    SUITE: ClassVar[str] = ""
    TEST_SEEDS: ClassVar[tuple[int, ...]] = ()

    def load(self) -> Iterator[QuestionTask]:
        """Generate the cases on demand, one block at a time."""
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
                items = [each for each in questions_of(row, case) if each.asking != "shown"]
                whole = self.config.paired and len(items) == 2
                parts = [_data(each, dataset, seed, paired=whole) for each in items]
                if whole:
                    parts = [parts[0].model_copy(update={"other": parts[1]})]
                yield from (QuestionTask(part, self.config.task) for part in parts)


def _data(item: NamedQuestion, dataset: Dataset, seed: int, *, paired: bool) -> QuestionData:
    pictures = load_pictures(dataset, item.pictures, item.row)
    urls = [ImageUrlSource(url=data_url(picture.mime, picture.data)) for _, picture in pictures]
    content = [*(ImageUrlContentPart(image_url=url) for url in urls), TextContentPart(text=item.words)]
    return QuestionData(
        id=f"{seed}/{item.key}",
        prompt=[UserMessage(content=content)],
        case=item.case.id,
        asking=item.asking,
        gold=item.gold,
        group=item.case.group,
        control=bool(item.case.control_of),
        seed=seed,
        paired=paired,
    )


def reply_of(trace: vf.Trace) -> Reply:
    """Convert a trace to a `Reply`, and record whether the token limit cut it off."""
    data = trace.task.data
    finish = "length" if trace.is_truncated else "stop"
    return Reply(data.case, 0, *WORLDS[data.asking], text=trace.last_reply, finish=finish)


class OneReply(vf.Harness[vf.HarnessConfig]):
    """A harness that asks the model once, without starting a program."""

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
        """Send the question, and record the reply in the trace."""
        system, prompt = self.resolve_prompt(data)
        messages = [message_to_wire(message) for message in prompt or ()]
        if system:
            messages.insert(0, {"role": "system", "content": system})
        async with AsyncOpenAI(base_url=endpoint, api_key=secret) as client:
            await client.chat.completions.create(model=ctx.model, messages=messages)
        return ProgramResult(exit_code=0, stdout="", stderr="")


class QuestionEnvConfig(vf.EnvConfig):
    """The configuration of the environment: one model answers, and no container is needed."""

    agent: vf.AgentConfig = vf.AgentConfig(runtime=vf.SubprocessConfig())


class QuestionEnv(vf.Env[QuestionEnvConfig]):
    """An environment that asks the one or two questions of each task, and rewards pairs as a whole."""

    async def run(self, task: QuestionTask, agents: vf.Agents) -> None:
        """Ask the question, and then the question of the other world if the task is a pair."""
        await agents.agent.run(task)
        if task.data.other is not None:
            await agents.agent.run(QuestionTask(task.data.other, task.config))

    async def finalize(self, task: QuestionTask, episode: vf.Episode) -> None:
        """Reward a pair, and record the metrics that exist only for pairs."""
        if task.data.other is None or not all(trace.ok for trace in episode.traces):
            return
        replies = [reply_of(trace) for trace in episode.traces]
        both = paired_reward(replies, [trace.task.data.gold for trace in episode.traces])
        found = [trace.metrics.get(trace.task.data.asking) for trace in episode.traces]
        for trace in episode.traces:
            trace.record_reward("both_right", both)
            if None not in found:  # a control or a truncated reply: excluded from metrics of pairs
                trace.record_metrics({"both_right": both, "drop": found[0] - found[1]})


def open_environment(package: str, **config: Any) -> vf.Env:
    """Return the environment of an exported package with this configuration."""
    return vf.load_environment(vf.resolve_env_config({"taskset": {"id": package, **config}}))
