"""The command line: verbs only. Each parses, calls, and prints.

What is heavy is imported by the verb that needs it, so that `countersight --help` answers at once. That is also why
this is argparse: it loads in 13 ms, typer in 75, cyclopts in 105.
"""

import argparse
import os
import signal
import sys
from collections.abc import Sequence
from pathlib import Path

from countersight import __version__
from countersight.errors import CountersightError
from countersight.suites import IMPORTERS
from countersight.wording import printable, several

BAD_ROWS_SHOWN = 20


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command and return its exit status: 0 done, 2 a mistake the user can mend, 130 stopped by Ctrl-C."""
    parser = _parser()
    chosen = parser.parse_args(arguments)
    if chosen.verb is None:
        parser.print_help()
        return 0
    # Being told to end is like Ctrl-C: what was begun is cleared away. A run has its own way to stop.
    signal.signal(signal.SIGTERM, _stop)
    try:
        status: int = chosen.call(chosen)
        sys.stdout.flush()
        return status
    except CountersightError as error:
        print(f"countersight: {error}", file=sys.stderr)
        return 2
    except OSError as error:
        if isinstance(error, BrokenPipeError):  # somebody closed the pipe we print to, as `| head` does
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
            return 0
        print(f"countersight: {error.filename or ''}: {error.strerror or error}".replace(": :", ":"), file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        print("countersight: stopped", file=sys.stderr)
        return 130


def _stop(number: int, frame: object) -> None:
    raise KeyboardInterrupt


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="countersight",
        description="Tests whether vision-language models can reason about what is not in the picture.",
        epilog="Start with: countersight demo",
    )
    parser.add_argument("--version", action="version", version=f"countersight {__version__}")
    verbs = parser.add_subparsers(title="verbs", dest="verb", metavar="VERB")

    demo = _verb(verbs, "demo", _demo, "the whole story on a fresh machine: make, ask, report", "countersight demo")
    demo.add_argument("-o", "--output", type=Path, default=Path("demo"), metavar="DIR", help="folder (default: demo)")
    demo.add_argument("--size", type=_positive, default=600, metavar="N", help="cases to make (default: 600)")

    make = _verb(
        verbs,
        "make",
        _make,
        "make or import a dataset",
        "countersight make cvqa-synthetic --size 3000 --seed 7 -o flowers",
    )
    make.add_argument("suite", choices=list(IMPORTERS), help="which benchmark; see: countersight list suites")
    make.add_argument("--size", type=_positive, default=3000, metavar="N", help="cases to make (default: 3000)")
    make.add_argument("--seed", type=int, default=0, help="same seed, same pixels (default: 0)")
    make.add_argument("--workers", type=_positive, metavar="N", help="processes (default: one a core)")
    make.add_argument(
        "--from", dest="source", type=Path, metavar="FILE", help="import the published questions from this file"
    )
    make.add_argument("--pictures", type=Path, metavar="DIR", help="with --from: the folder of the published pictures")
    make.add_argument("-o", "--output", type=Path, required=True, metavar="DIR", help="the dataset folder to make")

    export = _verb(
        verbs,
        "export",
        _export,
        "write a dataset's questions in the published CSV layout",
        "countersight export flowers -o questions.csv",
    )
    export.add_argument("dataset", type=Path, metavar="DATASET")
    export.add_argument("-o", "--output", type=Path, required=True, metavar="CSV")

    describe = _verb(
        verbs,
        "describe",
        _describe,
        "print and plot the statistics of a dataset",
        "countersight describe flowers -o flowers.svg",
    )
    describe.add_argument("dataset", type=Path, metavar="DATASET")
    describe.add_argument("-o", "--output", type=Path, metavar="SVG", help="also draw them into this file")

    run = _verb(
        verbs,
        "run",
        _run,
        "ask a model every question in both worlds; takes up a run that was stopped",
        "countersight run flowers --model endpoint:http://127.0.0.1:8000/v1#qwen2.5-vl-7b -o runs/qwen",
    )
    run.add_argument("dataset", type=Path, metavar="DATASET")
    run.add_argument("--model", required=True, metavar="M", help="see: countersight list models")
    run.add_argument("--prompt", default="0-shot", metavar="P", help="see: countersight list prompts (default: 0-shot)")
    run.add_argument(
        "--shown",
        action="store_true",
        help="also show the counterfactual pictures and ask about them: the imagination gap",
    )
    answering = run.add_mutually_exclusive_group()
    answering.add_argument(
        "--generate", dest="answering", action="store_const", const="generate", help="the model writes (the default)"
    )
    answering.add_argument(
        "--rank", dest="answering", action="store_const", const="rank", help="the option with the smallest loss wins"
    )
    run.set_defaults(answering="generate")
    run.add_argument("-o", "--output", type=Path, required=True, metavar="RUN", help="the run folder to fill")
    run.add_argument(
        "--seed", type=int, default=0, help="for what is drawn by chance, here or by the server (default: 0)"
    )
    run.add_argument("--max-tokens", type=_positive, default=256, metavar="N", help="longest answer (default: 256)")
    run.add_argument(
        "--temperature",
        type=_temperature,
        default=0.0,
        metavar="T",
        help="0 by default; `server` leaves it to the server, for models that take no other than their own",
    )
    run.add_argument("--detail", default="auto", choices=["auto", "low", "high"], help="how closely to look")
    run.add_argument(
        "--concurrency", type=_positive, default=64, metavar="N", help="most questions under way (default: 64)"
    )
    run.add_argument("--attempts", type=_positive, default=5, metavar="N", help="tries for a question (default: 5)")
    run.add_argument("--timeout", type=_seconds, default=120.0, metavar="S", help="seconds for one try (default: 120)")
    run.add_argument(
        "--price",
        type=_price,
        default=(0.0, 0.0),
        metavar="IN,OUT",
        help="dollars for a million tokens read and written, where the server reports no cost",
    )

    report = _verb(
        verbs,
        "report",
        _report,
        "tables and a page out of one or more runs",
        "countersight report runs/qwen runs/llava -o report",
    )
    report.add_argument("runs", type=Path, nargs="+", metavar="RUN")
    report.add_argument("-o", "--output", type=Path, default=Path("report"), metavar="DIR", help="default: report")
    report.add_argument("--dataset", type=Path, metavar="DIR", help="where the dataset is now, if it was moved")
    report.add_argument(
        "--gallery", type=_positive, default=3000, metavar="N", help="most cases shown with pictures (default: 3000)"
    )
    report.add_argument("--seed", type=int, default=0, help="for the bootstrap and the choice of cases (default: 0)")

    train = _verb(
        verbs,
        "train",
        _train,
        "train the embedded model again, from scratch",
        "countersight train embedded -o training",
    )
    train.add_argument("what", choices=["embedded"], help="which model")
    train.add_argument("--plan", type=Path, metavar="TOML", help="another plan than that of the shipped model")
    train.add_argument(
        "-o", "--output", type=Path, required=True, metavar="DIR", help="checkpoints, curves and weights"
    )

    listing = _verb(verbs, "list", _list, "what there is", "countersight list models")
    listing.add_argument("what", choices=["suites", "models", "prompts"])
    return parser


def _verb(
    verbs: "argparse._SubParsersAction[argparse.ArgumentParser]", name: str, call: object, summary: str, example: str
) -> argparse.ArgumentParser:
    verb = verbs.add_parser(
        name, help=summary, description=summary[0].upper() + summary[1:] + ".", epilog=f"Example: {example}"
    )
    verb.set_defaults(call=call)
    return verb


def _demo(chosen: argparse.Namespace) -> int:
    from countersight.demo import demo

    return demo(chosen.output, chosen.size)


def _make(chosen: argparse.Namespace) -> int:
    if chosen.source is not None:
        return _import(chosen)
    if chosen.suite != "cvqa-synthetic":
        importer = IMPORTERS[chosen.suite]
        raise CountersightError(f"{chosen.suite} is imported: name its file with --from ({importer.file})")
    if chosen.pictures is not None:
        raise CountersightError("--pictures goes with --from")
    from countersight.progress import counting
    from countersight.suites import cvqa_synthetic

    with counting("Drawing", chosen.size, "cases") as progress:
        cvqa_synthetic.make_dataset(
            chosen.output, size=chosen.size, seed=chosen.seed, workers=chosen.workers, progress=progress
        )
    print(f"{several(chosen.size, 'case')} in {chosen.output}")
    return 0


def _import(chosen: argparse.Namespace) -> int:
    shown = iter(range(BAD_ROWS_SHOWN))

    def bad(line: int, field: str, reason: str) -> None:
        if next(shown, None) is not None:
            print(printable(f"{chosen.source} line {line}: {field}: {reason}"), file=sys.stderr)

    importer = IMPORTERS[chosen.suite]
    imported = importer.import_dataset(chosen.source, chosen.output, pictures=chosen.pictures, on_bad=bad)
    print(f"{several(imported.cases, 'case')} in {chosen.output}, {several(imported.bad, 'bad row')} left out")
    if imported.without_picture:
        print(
            f"{imported.without_picture:,} without a picture: models that look cannot be asked about them, and "
            "Hugging Face opens only folders with pictures; give theirs with --pictures"
        )
    return 0


def _export(chosen: argparse.Namespace) -> int:
    from countersight.dataset import Dataset
    from countersight.suites import cvqa_csv

    written = cvqa_csv.export_csv((case for _, case in Dataset.open(chosen.dataset).cases(_print_bad)), chosen.output)
    print(f"{several(written, 'case')} in {chosen.output}")
    return 0


def _describe(chosen: argparse.Namespace) -> int:
    from rich.console import Console

    from countersight.dataset import Dataset
    from countersight.statistics import describe, render, write_svg

    statistics = describe(case for _, case in Dataset.open(chosen.dataset).cases(_print_bad))
    if chosen.output:  # before anything is printed: the reader of a pipe may leave early
        write_svg(statistics, chosen.output)
    render(statistics, Console())
    if chosen.output:
        print(f"The same as a figure: {chosen.output}")
    return 0


def _print_bad(bad: object) -> None:
    print(printable(str(bad)), file=sys.stderr)


def _run(chosen: argparse.Namespace) -> int:
    from countersight.asking.command import ask_dataset
    from countersight.asking.engine import Patience
    from countersight.models import ModelSettings

    price_in, price_out = chosen.price
    status = ask_dataset(
        chosen.dataset,
        chosen.output,
        model=chosen.model,
        prompt=chosen.prompt,
        shown=chosen.shown,
        answering=chosen.answering,
        settings=ModelSettings(
            seed=chosen.seed,
            max_tokens=chosen.max_tokens,
            temperature=chosen.temperature,
            detail=chosen.detail,
            timeout=chosen.timeout,
            price_in=price_in,
            price_out=price_out,
        ),
        patience=Patience(concurrency=chosen.concurrency, attempts=chosen.attempts),
    )
    if status == 0:
        print(f"{chosen.output}\nScores and a page: countersight report {chosen.output}")
    return status


def _report(chosen: argparse.Namespace) -> int:
    from rich.console import Console

    from countersight.progress import counting
    from countersight.report import print_tables, write_report

    report = write_report(
        chosen.runs,
        chosen.output,
        dataset=chosen.dataset,
        gallery=chosen.gallery,
        seed=chosen.seed,
        progress=counting,
    )
    print_tables(report.data, Console())
    for reason in report.unwritten:
        print(f"countersight: not written: {reason}", file=sys.stderr)
    print(f"The page, with every case: {report.html.resolve()}")
    return 0


def _train(chosen: argparse.Namespace) -> int:
    from countersight.training.command import train

    train(chosen.output, plan=chosen.plan)
    return 0


def _list(chosen: argparse.Namespace) -> int:
    if chosen.what == "models":
        from countersight.models import MODELS

        for name, words in MODELS.items():
            print(f"{name:<20} {words}")
    elif chosen.what == "prompts":
        from countersight.asking.prompts import PROMPTS

        for prompt in PROMPTS.values():
            print(f"{prompt.name}: {prompt.choice!r}")
    else:
        for name, importer in IMPORTERS.items():
            print(f"{name:<16} {importer.words}")
            print(f"{'':<16} --from: {importer.file}")
            print(f"{'':<16} --pictures: {importer.pictures}")
    return 0


def _positive(text: str) -> int:
    number = _number(text, "a whole number of at least 1", 1, 10**9)
    if number != int(number):
        raise argparse.ArgumentTypeError(f"{text!r} is not a whole number of at least 1")
    return int(number)


def _seconds(text: str) -> float:
    return _number(text, "a number of seconds above 0", 1e-3, 1e6)


def _temperature(text: str) -> float | None:
    return None if text == "server" else _number(text, "a temperature from 0 to 2, or `server`", 0, 2)


def _price(text: str) -> tuple[float, float]:
    words = "two prices in dollars, such as 2.5,10"
    if text.count(",") != 1:
        raise argparse.ArgumentTypeError(f"{text!r} is not {words}")
    price_in, price_out = (_number(price, words, 0, 1e6) for price in text.split(","))
    return price_in, price_out


def _number(text: str, words: str, least: float, most: float) -> float:
    try:
        number = float(text)
    except ValueError:
        number = float("nan")
    if not least <= number <= most:
        raise argparse.ArgumentTypeError(f"{text!r} is not {words}")
    return number
