"""Inspect AI opens our log, and its own run of our task has our figures: `python -m peers.inspect_ai`."""

import shutil

from inspect_ai import eval as inspect_eval
from inspect_ai.log import EvalLog, list_eval_logs, read_eval_log, read_eval_log_sample_summaries
from inspect_ai.model import GenerateConfig, ModelAPI, ModelOutput, ModelUsage, get_model, modelapi

import countersight as cs
from countersight.exchange import import_run, run_figures
from peers.parrot import WORK, flowers, hand_over, hold, our_run, say


@modelapi(name="parrot")
class Parrot(ModelAPI):
    """The parrot as an Inspect model."""

    async def generate(self, input: list, tools: list, tool_choice: object, config: GenerateConfig) -> ModelOutput:
        """Return the next reply."""
        text, finish = say(input[-1].text)
        stop = "max_tokens" if finish == "length" else "stop"
        output = ModelOutput.from_content(self.model_name, text, stop_reason=stop)
        output.usage = ModelUsage(input_tokens=1, output_tokens=1, total_tokens=2)
        return output


def main() -> None:
    """Compare our run with our log read by Inspect, and with Inspect's own run, before and after its import."""
    folder = flowers()
    run = our_run(folder)
    ours = run_figures(run.scores().overall)
    logs = WORK / "logs"
    shutil.rmtree(logs, ignore_errors=True)
    logs.mkdir(parents=True)
    written = hand_over("inspect", run.path, logs / "ours.eval")
    log = read_eval_log(str(logs / "ours.eval"))
    assert written == len(log.samples or ()) == len(read_eval_log_sample_summaries(str(logs / "ours.eval")))
    hold("our log", {name: value for name, value in ours.items() if name in _metrics(log)}, _metrics(log))
    model = get_model("parrot/parrot")
    theirs = inspect_eval(
        "countersight/dataset", task_args={"folder": str(folder), "shown": True}, model=model, log_dir=str(logs)
    )[0]
    assert theirs.status == "success", theirs.error
    hold("their run", ours, _metrics(theirs))
    shutil.rmtree(WORK / "from-inspect", ignore_errors=True)
    import_run("inspect", theirs.location, folder, WORK / "from-inspect")
    hold("brought in", ours, run_figures(cs.Run.open(WORK / "from-inspect").scores().overall))
    print(f"{len(list_eval_logs(str(logs)))} logs in {logs}; look at them with: inspect view --log-dir {logs}")


def _metrics(log: EvalLog) -> dict[str, float]:
    assert log.results
    return {name: each.value for name, each in log.results.scores[0].metrics.items()}


if __name__ == "__main__":
    main()
