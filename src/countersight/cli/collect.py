"""`countersight collect`: campaigns in which people write, verify, answer and judge."""

import argparse
import os
from pathlib import Path
from shlex import quote
from typing import Any

from countersight.cli.parsing import Verbs, positive, verb
from countersight.errors import CountersightError

_LOCAL = "http://127.0.0.1:8400"


def add(verbs: Verbs) -> None:
    """Add the verb to the command line."""
    parser = verb(
        verbs, "collect", _help, "collect questions, answers and judgements from people", "countersight collect demo"
    )
    actions = parser.add_subparsers(title="actions", dest="action", metavar="ACTION")
    parser.set_defaults(parser=parser)
    _add_demo(actions)
    _add_new(actions)
    _add_serve(actions)
    _add_add(actions)
    _add_people(actions)
    _add_status(actions)
    _add_export(actions)
    _add_log(actions)
    _add_backup(actions)
    _add_restore(actions)


def _help(chosen: argparse.Namespace) -> int:
    chosen.parser.print_help()
    return 0


def _add_demo(actions: Verbs) -> None:
    demo = verb(
        actions, "demo", _demo, "create and open an example campaign with three accounts", "countersight collect demo"
    )
    demo.add_argument("folder", nargs="?", type=Path, default=Path("collect-demo"), metavar="DIR")
    demo.add_argument("--port", type=positive, default=8400, metavar="N")


def _add_new(actions: Verbs) -> None:
    new = verb(
        actions,
        "new",
        _new,
        "make a campaign",
        "countersight collect new kitchen --flow cfmm --pictures photographs",
    )
    new.add_argument("campaign", type=Path, metavar="CAMPAIGN", help="the folder to make")
    new.add_argument("--flow", required=True, metavar="FLOW", help="cosim, cfmm, cvqa, verify, answer or judge")
    _sources(new)
    new.add_argument(
        "--annotations", type=Path, metavar="FILE", help="cvqa: VQAv2's annotations, if --from is VQAv2's question file"
    )
    new.add_argument("--size", type=positive, metavar="N", help="cvqa: number of VQAv2's questions to draw at random")
    new.add_argument(
        "--language", default="en", metavar="CODE", help="the language in which people write (default: en)"
    )
    new.add_argument("--title", metavar="TEXT", help="the campaign's title (default: the folder's name)")
    _database(new)


def _sources(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--pictures", type=Path, metavar="DIR", help="cosim, cfmm: the pictures to write about")
    parser.add_argument(
        "--from",
        dest="source",
        type=Path,
        metavar="FOLDER",
        help="cvqa, verify, answer: a dataset, or a run of one; judge: an audit",
    )
    parser.add_argument(
        "--gold",
        type=Path,
        metavar="DATASET",
        help="cases with known answers, mixed in to check how carefully people work",
    )
    parser.add_argument("--seed", type=int, default=0, help="random seed (default: 0)")


def _add_add(actions: Verbs) -> None:
    add = verb(
        actions,
        "add",
        _add_items,
        "add pictures or cases to a campaign, also while it is served",
        "countersight collect add kitchen --pictures more-photographs",
    )
    add.add_argument("campaign", type=Path, metavar="CAMPAIGN")
    _sources(add)
    _database(add)


def _add_serve(actions: Verbs) -> None:
    serve = verb(
        actions, "serve", _serve, "open a campaign in the browser", "countersight collect serve kitchen --port 8400"
    )
    serve.add_argument("campaign", type=Path, metavar="CAMPAIGN")
    serve.add_argument("--host", default="127.0.0.1", help="the address to listen on (default: this machine only)")
    serve.add_argument("--port", type=positive, default=8400, metavar="N", help="default: 8400")
    serve.add_argument("--public-url", default="", metavar="URL", help="behind a proxy: how people reach it, https://…")
    serve.add_argument("--trust-proxy", default="", metavar="ADDRESS", help="behind a proxy: its address")
    serve.add_argument("--check", action="store_true", help="report what is unsafe in this configuration, and exit")
    _database(serve)


def _add_people(actions: Verbs) -> None:
    people = verb(
        actions,
        "people",
        _people,
        "list people, invite them, change roles, let them try tests again",
        "countersight collect people kitchen --invite ada --role lead",
    )
    people.add_argument("campaign", type=Path, metavar="CAMPAIGN")
    what = people.add_mutually_exclusive_group()
    what.add_argument(
        "--invite",
        metavar="NAME",
        help="print a one-time link for a new person, or for an existing one to set a new password",
    )
    what.add_argument("--set-role", metavar="NAME", help="give this person the role named by --role")
    what.add_argument("--reset", metavar="NAME", help="let this person take the tests again")
    what.add_argument(
        "--pause", metavar="NAME", help="suspend this person: they can log in and see their account, but cannot work"
    )
    what.add_argument("--block", metavar="NAME", help="block this person: they cannot log in")
    what.add_argument("--unblock", metavar="NAME", help="allow this person to work again")
    what.add_argument("--token", metavar="NAME", help="print an API token for this lead")
    what.add_argument(
        "--forget", metavar="NAME", help="delete this person's identity; their work stays under a pseudonym"
    )
    people.add_argument(
        "--role",
        choices=["worker", "reviewer", "lead"],
        help="the role for --invite (default: worker) and --set-role",
    )
    people.add_argument(
        "--public-url", default=_LOCAL, metavar="URL", help=f"where the server is reached (default: {_LOCAL})"
    )
    _database(people)


def _add_status(actions: Verbs) -> None:
    status = verb(actions, "status", _status, "print the progress of a campaign", "countersight collect status kitchen")
    status.add_argument("campaign", type=Path, metavar="CAMPAIGN")
    _database(status)


def _add_export(actions: Verbs) -> None:
    export = verb(
        actions,
        "export",
        _export,
        "export what was collected as a dataset, a run or a table of labels",
        "countersight collect export kitchen -o kitchen-cases",
    )
    export.add_argument("campaign", type=Path, metavar="CAMPAIGN")
    export.add_argument(
        "-o",
        "--output",
        type=Path,
        required=True,
        metavar="DIR",
        help="the folder to write: a run for the flow `answer`, otherwise a dataset",
    )
    export.add_argument("--layout", action="store_true", help="cosim, cfmm, cvqa: also write the paper's file format")
    _database(export)


def _add_backup(actions: Verbs) -> None:
    backup = verb(
        actions,
        "backup",
        _backup,
        "copy a campaign while it runs",
        "countersight collect backup kitchen -o kitchen-copy",
    )
    backup.add_argument("campaign", type=Path, metavar="CAMPAIGN")
    backup.add_argument("-o", "--output", type=Path, required=True, metavar="DIR")
    _database(backup)


def _add_restore(actions: Verbs) -> None:
    restore = verb(
        actions,
        "restore",
        _restore,
        "restore a campaign from a backup",
        "countersight collect restore kitchen-copy -o kitchen",
    )
    restore.add_argument("backup", type=Path, metavar="BACKUP")
    restore.add_argument("-o", "--output", type=Path, required=True, metavar="CAMPAIGN")
    _database(restore)


def _add_log(actions: Verbs) -> None:
    log = verb(
        actions,
        "log",
        _log,
        "print the actions of leads and reviewers as CSV",
        "countersight collect log kitchen > log.csv",
    )
    log.add_argument("campaign", type=Path, metavar="CAMPAIGN")
    _database(log)


def _database(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--database",
        metavar="URL",
        default=os.environ.get("COUNTERSIGHT_DATABASE"),
        help="PostgreSQL URL (default: COUNTERSIGHT_DATABASE, or the one stored with the campaign, without a password)",
    )


def _needs_web() -> None:
    try:
        import argon2
        import babel
        import jinja2
        import markdown_it
        import sqlalchemy
        import starlette
        import uvicorn
    except ImportError as error:
        raise CountersightError(f"collecting needs {error.name}: pip install 'countersight[web]'") from None
    del argon2, babel, jinja2, markdown_it, sqlalchemy, starlette, uvicorn


def _demo(chosen: argparse.Namespace) -> int:
    _needs_web()
    from countersight.collect import ACCOUNTS, PASSWORD, Campaign, make_demo
    from countersight.collect.web import serve

    print(f"Creating an example campaign in {chosen.folder}; drawing its pictures takes a moment.", flush=True)
    make_demo(chosen.folder)
    names = ", ".join(f"{name} ({role})" for name, role in ACCOUNTS)
    print(f"Log in as {names}; the password of all three is {PASSWORD}.")
    print(f"http://127.0.0.1:{chosen.port}   (Ctrl-C stops; the campaign stays in {chosen.folder})", flush=True)
    serve(Campaign.open(chosen.folder), port=chosen.port)
    return 0


def _new(chosen: argparse.Namespace) -> int:
    _needs_web()
    from sqlalchemy import make_url

    from countersight.cli.parsing import print_bad
    from countersight.collect import new_campaign
    from countersight.text import several

    source, pictures = chosen.source, chosen.pictures
    if chosen.flow == "cvqa" and source and source.is_file():
        source, pictures = _vqav2(chosen), None
    items = new_campaign(
        chosen.campaign,
        chosen.flow,
        title=chosen.title or chosen.campaign.name,
        language=chosen.language,
        pictures=pictures,
        source=source,
        gold=chosen.gold,
        seed=chosen.seed,
        database=chosen.database,
        on_bad=print_bad,
    )
    print(f"{several(items, 'item')} in {chosen.campaign}; read and change {chosen.campaign / 'campaign.toml'}, then:")
    has_password = chosen.database and make_url(chosen.database).password
    more = " --database ADDRESS" if has_password else ""
    print(f"  countersight collect people {quote(str(chosen.campaign))} --invite YOU --role lead{more}")
    print(f"  countersight collect serve {quote(str(chosen.campaign))}{more}")
    if chosen.language != "en":
        print("Guidelines, tests and consent text in campaign.toml are in English: translate them before people start.")
    if has_password:
        print("ADDRESS is the same as now (or set COUNTERSIGHT_DATABASE): the campaign does not store its password.")
    return 0


def _vqav2(chosen: argparse.Namespace) -> Path:
    """Make a dataset from VQAv2's files in a folder next to the campaign, and return the folder."""
    from countersight.cli.parsing import print_bad
    from countersight.verbs import make

    if not (chosen.annotations and chosen.pictures):
        raise CountersightError("questions of VQAv2 need --annotations FILE and --pictures DIR")
    folder: Path = chosen.campaign.with_name(f"{chosen.campaign.name}-questions")
    make(
        "vqav2",
        folder,
        size=chosen.size,
        seed=chosen.seed,
        source=chosen.source,
        pictures=chosen.pictures,
        beside=chosen.annotations,
        on_bad=lambda line, field, reason: print_bad(f"{chosen.source} entry {line}: {field}: {reason}"),
    )
    print(f"The questions of VQAv2 were written to {folder} as a dataset")
    return folder


def _add_items(chosen: argparse.Namespace) -> int:
    _needs_web()
    from countersight.cli.parsing import print_bad
    from countersight.collect import Campaign, add_to_campaign
    from countersight.text import several

    campaign = Campaign.open(chosen.campaign, chosen.database)
    try:
        what = {"pictures": chosen.pictures, "source": chosen.source, "gold": chosen.gold, "seed": chosen.seed}
        added = add_to_campaign(campaign, **what, on_bad=print_bad)
    finally:
        campaign.close()
    print(f"{several(added, 'item')} added to {chosen.campaign}")
    return 0


def _serve(chosen: argparse.Namespace) -> int:
    _needs_web()
    from countersight.collect import Campaign
    from countersight.collect.web import configuration_faults, serve

    campaign = Campaign.open(chosen.campaign, chosen.database)
    if chosen.check:
        faults = configuration_faults(campaign, chosen.host, chosen.public_url, chosen.trust_proxy)
        campaign.close()
        for fault in faults:
            print(fault)
        print("the configuration has no known security problems" if not faults else f"{len(faults)} to mend")
        return 1 if faults else 0
    print(f"http://{chosen.host}:{chosen.port}   (Ctrl-C stops)", flush=True)
    serve(
        campaign,
        host=chosen.host,
        port=chosen.port,
        public_url=chosen.public_url,
        trusted_proxies=chosen.trust_proxy,
    )
    return 0


def _people(chosen: argparse.Namespace) -> int:
    _needs_web()
    from countersight.collect import (
        Campaign,
        change_role,
        forget_person,
        invite_person,
        list_people,
        make_token,
        reset_tests,
        set_access,
    )

    campaign = Campaign.open(chosen.campaign, chosen.database)
    try:
        if chosen.invite:
            token, there = invite_person(campaign, chosen.invite, chosen.role)
            if there:
                print(f"{there.name} already has an account ({there.role}): this link sets a new password for it.")
            print(f"{chosen.public_url.rstrip('/')}/join/{token}   (works once, for 14 days)")
            if chosen.public_url == _LOCAL:
                print("If the campaign is served elsewhere, name that address with --public-url.")
            return 0
        if chosen.set_role:
            if chosen.role is None:
                raise CountersightError("name the new role: --role worker, reviewer or lead")
            change_role(campaign, chosen.set_role, chosen.role)
        elif chosen.reset:
            reset_tests(campaign, chosen.reset)
        elif chosen.token:
            print(make_token(campaign, chosen.token))
            return 0
        elif chosen.pause or chosen.block or chosen.unblock:
            access: Any = "paused" if chosen.pause else "blocked" if chosen.block else "open"
            set_access(campaign, chosen.pause or chosen.block or chosen.unblock, access)
        elif chosen.forget:
            forget_person(campaign, chosen.forget)
        for person in list_people(campaign):
            paused = "" if person.access == "open" else f"  ({person.access})"
            print(f"{person.pseudonym}  {person.role:8}  {person.name}{paused}")
    finally:
        campaign.close()
    return 0


def _status(chosen: argparse.Namespace) -> int:
    _needs_web()
    import time

    from countersight.collect import Campaign, campaign_figures, kept_splits
    from countersight.text import several

    campaign = Campaign.open(chosen.campaign, chosen.database)
    try:
        figures = campaign.store.read(lambda c: campaign_figures(c, campaign.flow, time.time()))
        kept = campaign.store.read(lambda c: kept_splits(c, campaign.settings))
    finally:
        campaign.close()
    states = ", ".join(f"{number:,} {state}" for state, number in sorted(figures.states.items()))
    print(f"{campaign.settings.title} ({campaign.flow.name}): {figures.items:,} items: {states}")
    for phase in figures.phases:
        print(f"  {phase.title}: {phase.waiting:,} waiting, {phase.under_way:,} in progress, {phase.done:,} done")
    for named in figures.agreement:
        ac1 = named.agreement.ac1
        said = f"AC1 {ac1.value:.2f}" if ac1.value is not None else ac1.why
        print(f"  agreement on {named.label}: {said} ({named.agreement.items:,} items)")
    waiting = [
        several(number, noun) for number, noun in ((figures.flags, "flag"), (figures.disputed, "other item")) if number
    ]
    if waiting:
        print(f"  for a reviewer: {' and '.join(waiting)}")
    if figures.stranded:
        print(f"  {several(figures.stranded, 'item')}: nobody is left to work on it, invite more people")
    if kept:
        print(f"  [splits] was changed: {several(kept, 'item')} with another split than a new draw would give")
    return 0


def _export(chosen: argparse.Namespace) -> int:
    _needs_web()
    from countersight.collect import Campaign, export_campaign

    campaign = Campaign.open(chosen.campaign, chosen.database)
    try:
        for line in export_campaign(campaign, chosen.output, layout=chosen.layout):
            print(line)
    finally:
        campaign.close()
    return 0


def _backup(chosen: argparse.Namespace) -> int:
    _needs_web()
    from countersight.collect import back_up

    back_up(chosen.campaign, chosen.output, chosen.database)
    print(f"{chosen.campaign} was copied to {chosen.output}")
    return 0


def _restore(chosen: argparse.Namespace) -> int:
    _needs_web()
    from countersight.collect import restore

    restore(chosen.backup, chosen.output, chosen.database)
    print(f"{chosen.backup} was restored to {chosen.output}")
    return 0


def _log(chosen: argparse.Namespace) -> int:
    _needs_web()
    from countersight.collect import Campaign, log_csv, read_log

    campaign = Campaign.open(chosen.campaign, chosen.database)
    try:
        print(log_csv(campaign.store.read(read_log)), end="")
    finally:
        campaign.close()
    return 0
