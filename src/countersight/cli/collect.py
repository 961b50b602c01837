"""`countersight collect`: campaigns in which people write, verify, answer or judge cases."""

import argparse
import os
import re
import sys
from collections.abc import Callable
from contextlib import closing
from importlib import import_module
from pathlib import Path
from shlex import quote
from shutil import rmtree
from typing import Any, Final

from countersight.cli.parsing import Table, Verbs, add_options, print_bad, verb
from countersight.errors import CountersightError
from countersight.text import several

_LOCAL: Final = "http://127.0.0.1:8400"
_NEEDED: Final = ("argon2", "babel", "jinja2", "markdown_it", "sqlalchemy", "starlette", "uvicorn")
_CAMPAIGN: Final = {"CAMPAIGN": "the folder of the campaign"}
_DEMO: Final = {"DIR?=collect-demo": "the folder of the campaign", "--port N=8400": "the port to listen on"}
_COPY: Final = {"-o, --output DIR!": "the folder to write"}
_BACKUP: Final = {"BACKUP": "a folder written by `collect backup`"}
_SOURCES: Final = {
    "--from FOLDER>source": "cvqa, verify, answer: a dataset, or a run on one; judge: an audit",
    "--pictures DIR": "cosim, cfmm: the pictures to write about",
    "--gold DATASET": "cases with known answers, mixed in to check how carefully people work",
    "--seed SEED=0": "random seed",
}
_NEW: Final = {
    "CAMPAIGN": "the folder to make",
    "--flow FLOW!": "cosim, cfmm, cvqa, verify, answer or judge",
    "--annotations FILE": "cvqa: the VQAv2 annotations, if --from is the VQAv2 question file",
    "--size N": "cvqa: number of usable VQAv2 questions to draw at random",
    "--language CODE=en": "the language in which people write",
}
_SERVE: Final = {
    "--host HOST=127.0.0.1": "the address to listen on (default: this machine only)",
    "--port N=8400": "the port to listen on",
    "--public-url URL=": "the public address of the server behind a proxy, such as https://…",
    "--trust-proxy ADDRESS=": "address of the reverse proxy to trust",
    "--check": "report unsafe or missing settings, and exit",
}
_MANAGE: Final = {
    "--invite NAME": "print a one-time link for a new person, or for an existing one to set a new password",
    "--token NAME": "print a token for this lead's scripts, which use the JSON API",
    "--forget NAME": "delete this person's identity; their work stays under a pseudonym",
}
_PEOPLE: Final = {
    "--role {worker,reviewer,lead}": "the role of a new person (default: worker)",
    f"--public-url URL={_LOCAL}": "the public address of the server",
}
_EXPORT: Final = {
    "-o, --output DIR!": "the folder to write: a run for the flow `answer`, otherwise a dataset",
}


def add(verbs: Verbs) -> None:
    """Add the command `collect` to the parser."""
    parser = verb(verbs, "collect", _help, "collect questions, answers and judgements from people", _example("demo"))
    parser.set_defaults(parser=parser)
    actions = parser.add_subparsers(title="actions", dest="action", metavar="ACTION")
    summary = "create and open an example campaign with three accounts"
    verb(actions, "demo", _demo, summary, _example("demo"), _DEMO)

    example = _example("new kitchen --flow cfmm --pictures photographs")
    new = verb(actions, "new", _new, "make a campaign", example, _NEW, _SOURCES)
    summary = "add pictures or cases to a campaign, even while the server is running"
    more = _add_action(actions, "add", _add, summary, "--pictures photographs", _SOURCES)
    serve = _add_action(actions, "serve", _serve, "start the web server of a campaign", "--port 8400", _SERVE)
    summary = "list people, invite them, make API tokens, delete personal data"
    people = _add_action(actions, "people", _people, summary, "--invite ada", _PEOPLE)
    add_options(people.add_mutually_exclusive_group(), _MANAGE)
    status = _add_action(actions, "status", _status, "print the progress of a campaign", "", {})
    summary = "export what was collected as a dataset, a run or a table of labels"
    export = _add_action(actions, "export", _export, summary, "-o cases", _EXPORT)
    log = _add_action(actions, "log", _log, "print the actions of leads and reviewers as CSV", "> log.csv", {})
    example = _example("backup kitchen -o kitchen-copy")
    backup = verb(actions, "backup", _backup, "copy a campaign, even while it is running", example, _CAMPAIGN, _COPY)
    example = _example("restore kitchen-copy -o kitchen")
    restore = verb(actions, "restore", _restore, "restore a campaign from a backup", example, _BACKUP, _COPY)

    words = (
        "PostgreSQL URL (default: COUNTERSIGHT_DATABASE, or the URL stored with the campaign; passwords are not stored)"
    )
    for each in (new, more, serve, people, status, export, log, backup, restore):
        each.add_argument("--database", metavar="URL", default=os.environ.get("COUNTERSIGHT_DATABASE"), help=words)


def _example(action: str) -> str:
    return f"countersight collect {action}".strip()


def _add_action(
    actions: Verbs, name: str, call: Callable[[argparse.Namespace, Any], int], summary: str, more: str, options: Table
) -> argparse.ArgumentParser:
    """Add an action for an existing campaign; the campaign is opened before the action is called."""

    def run(chosen: argparse.Namespace) -> int:
        _require_web()
        from countersight.collect import Campaign

        with closing(Campaign.open(chosen.campaign, chosen.database)) as campaign:
            return call(chosen, campaign)

    return verb(actions, name, run, summary, _example(f"{name} kitchen {more}"), _CAMPAIGN, options)


def _help(chosen: argparse.Namespace) -> int:
    chosen.parser.print_help()
    return 0


def _require_web() -> None:
    try:
        for name in _NEEDED:
            import_module(name)
    except ImportError as error:
        raise CountersightError(f"collecting needs {error.name}: pip install 'countersight[web]'") from None


def _demo(chosen: argparse.Namespace) -> int:
    _require_web()
    from countersight.collect import ACCOUNTS, PASSWORD, Campaign, make_demo
    from countersight.collect.web import serve

    print(f"Creating an example campaign in {chosen.dir}; drawing its pictures takes a moment.", flush=True)
    make_demo(chosen.dir)
    names = ", ".join(f"{name} ({role})" for name, role in ACCOUNTS)
    print(f"Log in as {names}; the password of all three is {PASSWORD}.")
    print(f"http://127.0.0.1:{chosen.port}   (Ctrl-C stops; the campaign stays in {chosen.dir})", flush=True)
    serve(Campaign.open(chosen.dir), port=chosen.port)
    return 0


def _new(chosen: argparse.Namespace) -> int:
    _require_web()
    from sqlalchemy import make_url

    from countersight.collect import Sources, new_campaign

    source, pictures, made = chosen.source, chosen.pictures, None
    if chosen.flow == "cvqa" and source and source.is_file():
        source = made = _vqav2(chosen)
        pictures = None
    elif chosen.annotations or chosen.size:
        raise CountersightError("--annotations and --size work only with VQAv2's questions: --flow cvqa --from FILE")
    elif chosen.flow == "cvqa" and pictures and not source:
        raise CountersightError("cvqa needs --from; --pictures works only with --annotations")
    try:
        added = new_campaign(
            chosen.campaign,
            chosen.flow,
            Sources(pictures, source, chosen.gold, chosen.seed, print_bad),
            title=chosen.campaign.name,
            language=chosen.language,
            database=chosen.database,
        )
    except CountersightError:
        if made:  # so that the command can be repeated
            rmtree(made)
        raise
    print(f"{added} in {chosen.campaign}; read and change {chosen.campaign / 'campaign.toml'}, then:")
    has_password = chosen.database and make_url(chosen.database).password
    more = " --database ADDRESS" if has_password else ""
    print(f"  countersight collect people {quote(str(chosen.campaign))} --invite YOU --role lead{more}")
    print(f"  countersight collect serve {quote(str(chosen.campaign))}{more}")
    if chosen.language.partition("-")[0].lower() not in ("en", "de"):
        print("Guidelines, tests and consent text in campaign.toml are in English: translate them before people start.")
    if has_password:
        print("Use the same ADDRESS as now, or set COUNTERSIGHT_DATABASE: the campaign does not store the password.")
    return 0


def _vqav2(chosen: argparse.Namespace) -> Path:
    """Make a dataset from VQAv2's files in a folder next to the campaign, and return the folder."""
    from countersight.collect import import_vqav2

    if not (chosen.annotations and chosen.pictures):
        raise CountersightError("questions of VQAv2 need --annotations FILE and --pictures DIR")
    folder: Path = chosen.campaign.with_name(f"{chosen.campaign.name}-questions")
    summary = import_vqav2(
        folder,
        questions=chosen.source,
        annotations=chosen.annotations,
        pictures=chosen.pictures,
        size=chosen.size,
        seed=chosen.seed,
        on_bad=print_bad,
    )
    print(f"{folder}: {summary}")
    return folder


def _add(chosen: argparse.Namespace, campaign: Any) -> int:
    from countersight.collect import Sources, add_to_campaign

    sources = Sources(chosen.pictures, chosen.source, chosen.gold, chosen.seed, print_bad)
    print(f"{add_to_campaign(campaign, sources)} added to {chosen.campaign}")
    return 0


def _serve(chosen: argparse.Namespace, campaign: Any) -> int:
    from countersight.collect.web import configuration_faults, serve

    _require_address(chosen.public_url)
    if chosen.check:
        faults = configuration_faults(campaign, chosen.host, chosen.public_url, chosen.trust_proxy)
        for fault in faults:
            print(fault)
        found = several(len(faults), "problem") if faults else "no known security problems"
        print(f"the configuration has {found}")
        return 1 if faults else 0
    serve(
        campaign,
        host=chosen.host,
        port=chosen.port,
        public_url=chosen.public_url,
        trusted_proxies=chosen.trust_proxy,
        started=lambda: print(f"http://{chosen.host}:{chosen.port}   (Ctrl-C stops)", flush=True),
    )
    return 0


def _require_address(url: str) -> None:
    if url and not re.fullmatch(r"https?://[^\s/?#]+[^\s?#]*", url):
        raise CountersightError(f"--public-url must be an address such as https://collect.example.org, not {url!r}")


def _people(chosen: argparse.Namespace, campaign: Any) -> int:
    from countersight.collect import forget_person, invite_person, list_people, make_token

    _require_address(chosen.public_url)
    if chosen.invite:
        token, existing = invite_person(campaign, chosen.invite, chosen.role)
        if existing:
            print(f"{existing.name} already has an account ({existing.role}): this link sets a new password for it.")
        print(f"{chosen.public_url.rstrip('/')}/join/{token}   (works once, for 14 days)")
        if chosen.public_url == _LOCAL:
            print("If the server has another public address, repeat this with --public-url ADDRESS.")
        return 0
    if chosen.token:
        print(make_token(campaign, chosen.token))
        return 0
    if chosen.forget:
        pseudonym, unpaid = forget_person(campaign, chosen.forget)
        if unpaid:
            amount = f"{unpaid / 100:.2f} {campaign.settings.pay.currency}"
            print(
                f"warning: {amount} of {pseudonym} was not exported for payment, and the recipient is no longer known",
                file=sys.stderr,
            )
    for person in list_people(campaign):
        paused = "" if person.access == "open" else f"  ({person.access})"
        print(f"{person.pseudonym}  {person.role:8}  {person.name}{paused}")
    return 0


def _status(chosen: argparse.Namespace, campaign: Any) -> int:
    from countersight.collect import campaign_figures

    figures = campaign.store.read(lambda c: campaign_figures(c, campaign.flow))
    states = ", ".join(f"{number:,} {state}" for state, number in sorted(figures.states.items()))
    print(f"{campaign.settings.title} ({campaign.flow.name}): {figures.items:,} items: {states}")
    for phase in figures.phases:
        print(f"  {phase.title}: {phase.waiting:,} waiting, {phase.under_way:,} in progress, {phase.done:,} done")
    for question in figures.agreement:
        ac1 = question.agreement.ac1
        value = f"AC1 {ac1.value:.2f}" if ac1.value is not None else ac1.why
        print(f"  agreement on {question.label}: {value} ({several(question.agreement.items, 'item')})")
    waits = {"flag": figures.flags, "other item": figures.disputed}
    if any(waits.values()):
        print(f"  for a reviewer: {' and '.join(several(number, noun) for noun, number in waits.items() if number)}")
    return 0


def _export(chosen: argparse.Namespace, campaign: Any) -> int:
    from countersight.collect import export_campaign

    print("\n".join(export_campaign(campaign, chosen.output)))
    return 0


def _backup(chosen: argparse.Namespace) -> int:
    _require_web()
    from countersight.collect import back_up

    back_up(chosen.campaign, chosen.output, chosen.database)
    print(f"{chosen.campaign} was copied to {chosen.output}")
    return 0


def _restore(chosen: argparse.Namespace) -> int:
    _require_web()
    from countersight.collect import restore

    unused = restore(chosen.backup, chosen.output, chosen.database)
    print(f"{chosen.backup} was restored to {chosen.output}")
    if not unused:
        print(f"{chosen.backup} has been served since it was made; {chosen.output} contains its current state.")
    return 0


def _log(chosen: argparse.Namespace, campaign: Any) -> int:
    from countersight.collect import log_csv, read_log

    print(log_csv(campaign.store.read(read_log)), end="")
    return 0
