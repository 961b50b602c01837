"""lmms-eval runs our task and computes our figures, and its samples are imported: `python -m peers.lmms_eval`."""

import shutil
from pathlib import Path

from lmms_eval import evaluator
from lmms_eval.api.model import lmms
from lmms_eval.loggers import EvaluationTracker
from lmms_eval.tasks import TaskManager

import countersight as cs
from countersight.exchange import import_run, run_figures
from peers.parrot import WORK, flowers, hand_over, hold, our_run, say


class Parrot(lmms):
    """The parrot as an lmms-eval model."""

    def generate_until(self, requests: list) -> list[str]:
        """Return the next replies."""
        return [say(request.args[0])[0] for request in requests]

    def loglikelihood(self, requests: list) -> list[tuple[float, bool]]:
        """Not used by our tasks."""
        raise NotImplementedError

    def generate_until_multi_round(self, requests: list) -> list[str]:
        """Not used by our tasks."""
        raise NotImplementedError


def main() -> None:
    """Run the task in lmms-eval, and import its samples."""
    folder = flowers()
    task = WORK / "flowers_task"
    hand_over("lmms-eval", folder, task)
    ours = run_figures(our_run(folder, uncut=True).scores().overall)
    out = WORK / "lmms"
    shutil.rmtree(out, ignore_errors=True)
    theirs = _asked("flowers_task", task, out)
    hold("task", {name: value for name, value in ours.items() if name in theirs}, theirs)
    shutil.rmtree(WORK / "from-lmms", ignore_errors=True)
    imported = import_run("lmms-eval", out, folder, WORK / "from-lmms")
    hold("brought in", ours, run_figures(cs.Run.open(imported.run.path).scores().overall))


def _asked(name: str, task: Path, out: Path) -> dict[str, float]:
    tracker = EvaluationTracker(output_path=str(out))
    results = evaluator.simple_evaluate(
        model=Parrot(),
        tasks=[name],
        task_manager=TaskManager(include_path=str(task), include_defaults=False),
        log_samples=True,
        evaluation_tracker=tracker,
        bootstrap_iters=0,
    )
    samples = results.pop("samples")
    tracker.general_config_tracker.log_experiment_args("parrot", "model=parrot", "", "", None)
    tracker.save_results_aggregated(results=results, samples=samples, datetime_str="now")
    tracker.save_results_samples(name, samples[name])
    print({key: value for key, value in results["results"][name].items() if "clustered" in key or "alias" in key})
    figures = results["results"][name].items()
    return {key.partition(",")[0]: value for key, value in figures if isinstance(value, float)}


if __name__ == "__main__":
    main()
