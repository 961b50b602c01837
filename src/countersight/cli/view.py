"""`countersight view`: runs and audits in the browser, while they are being made."""

import argparse
from pathlib import Path

from countersight.cli.parsing import Verbs, positive, verb


def add(verbs: Verbs) -> None:
    """Add the verb to the command line."""
    view = verb(
        verbs,
        "view",
        _view,
        "show runs and audits in the browser, also while they are being made",
        "countersight view runs audits/gpt-4o",
    )
    view.add_argument("folders", type=Path, nargs="+", metavar="FOLDER", help="a run, an audit, or a folder of them")
    view.add_argument("--host", default="127.0.0.1", metavar="H", help="who may look: this machine alone by default")
    view.add_argument("--port", type=positive, default=8642, metavar="N", help="default: 8642")
    view.add_argument("--no-browser", action="store_true", help="do not open the browser")


def _view(chosen: argparse.Namespace) -> int:
    import webbrowser

    from aiohttp import web

    from countersight.view import application

    site = application(chosen.folders, chosen.host)
    address = f"http://{chosen.host}:{chosen.port}/"
    print(f"{address} (Ctrl-C ends it)", flush=True)

    def when_it_listens(_: str) -> None:
        if not chosen.no_browser:
            webbrowser.open(address)  # where there is no browser, nothing happens

    web.run_app(site, host=chosen.host, port=chosen.port, print=when_it_listens)
    return 0
