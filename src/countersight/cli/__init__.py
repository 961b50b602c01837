"""The command line: verbs only. Each parses, calls, and prints.

What is heavy is imported by the verb that needs it, so that `countersight --help` answers at once. That is also why
this is argparse: it loads in 13 ms, typer in 75, cyclopts in 105.
"""

import argparse
import atexit
import contextlib
import os
import signal
import sys
from collections.abc import Sequence
from typing import NoReturn

from countersight import __version__
from countersight.cli import (
    ablate,
    audit,
    blind,
    build,
    collect,
    compare,
    demo,
    describe,
    export,
    features,
    leaderboard,
    listing,
    make,
    mine,
    report,
    run,
    score,
    status,
    train,
    view,
)
from countersight.cli.options import in_options
from countersight.cli.plain_signs import plain_signs
from countersight.errors import CountersightError


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command and return its exit status: 0 done, 2 a mistake the user can mend, 130 stopped by Ctrl-C."""
    for stream in (sys.stdout, sys.stderr):
        plain_signs(stream)
    parser = _parser()
    chosen = parser.parse_args(audit.joined(sys.argv[1:] if arguments is None else arguments))
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
        print(f"countersight: {in_options(str(error))}", file=sys.stderr)
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


def command() -> NoReturn:
    """The command as it is installed: `main`, and the end of the process.

    Where torch was imported, Python would take apart for a second and more what the system drops at once.
    """
    status = main()
    if "torch" in sys.modules:
        atexit._run_exitfuncs()
        with contextlib.suppress(OSError):  # somebody closed the pipe we print to
            sys.stdout.flush()
            sys.stderr.flush()
        os._exit(status)
    sys.exit(status)


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
    for module in (
        demo,
        make,
        build,
        mine,
        export,
        describe,
        blind,
        run,
        status,
        score,
        report,
        compare,
        audit,
        collect,
        leaderboard,
        view,
        ablate,
        features,
        train,
        listing,
    ):
        module.add(verbs)
    return parser
