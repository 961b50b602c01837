"""What the tests of hosted editors share."""

import pytest
from editing.hosting import KEY, SERVICES


@pytest.fixture
def at(monkeypatch):
    """Let the services be at a server, and be looked at often."""
    for variable in ("HTTP_PROXY", "HTTPS_PROXY", "http_proxy", "https_proxy", "ALL_PROXY", "all_proxy"):
        monkeypatch.delenv(variable, raising=False)
    monkeypatch.setattr("countersight.editing.flux.POLL", 0.01)

    def at(server):
        for prefix, path in SERVICES.values():
            monkeypatch.setenv(f"{prefix}_BASE_URL", server.url + path)
            monkeypatch.setenv(f"{prefix}_API_KEY", KEY)

    return at
