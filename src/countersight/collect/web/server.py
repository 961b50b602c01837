"""The server of a campaign: one process, listening on this machine unless told otherwise."""

from collections.abc import Callable

import uvicorn

from countersight.collect.campaign import Campaign
from countersight.collect.web.app import application


def serve(
    campaign: Campaign,
    *,
    host: str = "127.0.0.1",
    port: int = 8400,
    public_url: str = "",
    trusted_proxies: str = "",
    ready: Callable[[], None] = lambda: None,
) -> None:
    """Serve until stopped. Behind a proxy, `public_url` is how people reach it and `trusted_proxies` its addresses."""
    app = application(campaign, secure=public_url.startswith("https://"), public_url=public_url.rstrip("/"))
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
    server = uvicorn.Server(settings)
    ready()
    server.run()
