"""The server of a campaign: one process, listening on this machine unless told otherwise."""

import socket
import sys
from typing import Final

import uvicorn

from countersight.collect.campaign import Campaign
from countersight.collect.web.app import application
from countersight.errors import CampaignError

_TURN: Final = 0.0005
"""Seconds a thread computes before another has its turn: pages and writes are short, and wait for each other."""


def serve(
    campaign: Campaign,
    *,
    host: str = "127.0.0.1",
    port: int = 8400,
    public_url: str = "",
    trusted_proxies: str = "",
) -> None:
    """Serve until stopped. Behind a proxy, `public_url` is how people reach it and `trusted_proxies` its addresses."""
    _refuse_taken(host, port)
    app = application(campaign, secure=public_url.startswith("https://"), public_url=public_url.rstrip("/"))
    app.state.renderer.compile_all()
    sys.setswitchinterval(_TURN)
    settings = uvicorn.Config(
        app,
        host=host,
        port=port,
        log_level="warning",
        access_log=False,
        server_header=False,
        proxy_headers=bool(trusted_proxies),
        forwarded_allow_ips=trusted_proxies or None,
        timeout_keep_alive=30,
        h11_max_incomplete_event_size=64 * 1024,
    )
    uvicorn.Server(settings).run()


def _refuse_taken(host: str, port: int) -> None:
    """Say in a sentence that an address cannot be listened on, before the server fails at it."""
    try:
        with socket.create_server((host, port), family=socket.AF_INET6 if ":" in host else socket.AF_INET):
            pass
    except (OSError, OverflowError) as error:  # a port above 65535 overflows
        words = getattr(error, "strerror", None) or str(error)
        raise CampaignError(f"{host} port {port} cannot be listened on ({words}); choose another `port`") from None
