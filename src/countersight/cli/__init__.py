"""The command line: each command parses its options, calls the library and prints the result.

Heavy modules are imported only when a command needs them, so that `countersight --help` is fast. argparse is used for
the same reason: it loads in 13 ms, typer in 75 ms, cyclopts in 105 ms.
"""

import io
import os
import signal
import sys
from collections.abc import Iterable, Sequence
from typing import NoReturn


def command() -> NoReturn:
    """Run `main` and exit; this is the entry point of the installed command.

    All other modules are imported inside `main`, so that Ctrl-C prints no traceback even during imports.
    """
    try:
        status = main()
    except KeyboardInterrupt:
        print("countersight: stopped", file=sys.stderr)
        status = 130
    sys.exit(status)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command and return its exit status: 0 for success, 2 for an error that the user can fix."""
    from countersight.cli.parsing import AUDIT_VERBS, build_parser, in_options
    from countersight.errors import CountersightError

    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="replace")  # the encoding of the terminal may lack characters
    given = list(sys.argv[1:] if arguments is None else arguments)
    if given[:1] == ["audit"] and given[1:2] and given[1] in AUDIT_VERBS:  # one command with its own options and help
        given[:2] = [" ".join(given[:2])]
    parser, verbs = build_parser()
    if given and not given[0].startswith("-") and given[0] not in verbs.choices:
        parser.error(f"unknown command {given[0]!r}{_suggestion(given[0], verbs.choices)}")
    chosen, unknown = parser.parse_known_args(given)
    if unknown:
        of = verbs.choices.get(chosen.verb, parser)
        if unknown[0].partition("=")[0] == "--log-level":
            of.error(f"--log-level goes before the command: countersight --log-level debug {chosen.verb} …")
        meant = _suggestion(unknown[0].partition("=")[0], of._option_string_actions)
        of.error(f"unrecognized arguments: {' '.join(unknown)}{meant}")
    if chosen.verb is None:
        parser.print_help()
        return 0
    if chosen.verb == "run":  # options on the command line replace those in a TOML file of runs
        chosen.arguments = given[given.index("run") + 1 :]
    if chosen.log_level:
        import logging

        logging.basicConfig(format="%(asctime)s %(levelname)s %(name)s: %(message)s")
        logging.getLogger("countersight").setLevel(chosen.log_level.upper())
    # SIGTERM is handled like Ctrl-C: unfinished folders are removed. A run installs its own signal handlers.
    signal.signal(signal.SIGTERM, _stop)
    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:  # background jobs ignore Ctrl-C
        signal.signal(signal.SIGINT, _stop)
    try:
        status: int = chosen.call(chosen)
        sys.stdout.flush()
        return status
    except CountersightError as error:
        print(f"countersight: {in_options(str(error))}", file=sys.stderr)
        return 2
    except OSError as error:
        if isinstance(error, BrokenPipeError):  # the reader closed the pipe, as `| head` does
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
            return 0
        print(f"countersight: {error.filename or ''}: {error.strerror or error}".replace(": :", ":"), file=sys.stderr)
        return 2


def _suggestion(typed: str, known: Iterable[str]) -> str:
    from countersight.suggestions import nearest

    near = nearest(typed, known)
    return f"; did you mean {near}?" if near else ""


def _stop(number: int, frame: object) -> None:
    os.write(2, b"\ncountersight: stopping\n")  # unbuffered, because other output may be in progress
    raise KeyboardInterrupt
