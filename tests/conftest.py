"""What tests of every part share: a real browser, and a plain word when there is none."""

import os
import shutil
from collections import Counter
from collections.abc import Iterator

import pytest
from hypothesis import HealthCheck, settings
from playwright.sync_api import Browser, expect, sync_playwright

# Machines that run these tests are shared: an example, and the making of one, may be slow for reasons of its
# neighbours. Every run tries the same examples; `pytest --hypothesis-profile=default` looks for others.
settings.register_profile(
    "shared machine",
    deadline=None,
    derandomize=True,
    suppress_health_check=[HealthCheck.too_slow],
)
settings.load_profile("shared machine")
expect.set_options(timeout=120_000)  # a page may be slow for the same reasons

# The servers of tests are on this machine, and no proxy leads to them.
for name in [name for name in os.environ if name.lower().endswith("_proxy")]:
    del os.environ[name]

NAMES = ("chromium", "chromium-browser", "google-chrome")
QUIET = [
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]


# For a module, not for the session: while Playwright is open its event loop counts as running in this thread, and
# tests elsewhere that start one of their own would fail.
@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    """Chromium from the PATH."""
    path = next(filter(None, map(shutil.which, NAMES)), None)
    if path is None:
        pytest.skip("there is no Chromium on the PATH")
    # Chromium's sandbox refuses to work for root.
    arguments = [*QUIET, "--no-sandbox"] if os.geteuid() == 0 else QUIET
    with sync_playwright() as playwright:
        chromium = playwright.chromium.launch(executable_path=path, args=arguments, timeout=120_000)
        yield chromium
        chromium.close()


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    skipped = [
        report for report in terminalreporter.getreports("skipped") if "browser" in getattr(report, "keywords", ())
    ]
    if skipped:
        files = Counter(report.nodeid.partition("::")[0] for report in skipped)
        listed = ", ".join(f"{file} ({count})" for file, count in files.items())
        terminalreporter.section("browser tests left out")
        terminalreporter.line(f"{len(skipped)} tests were left out because there is no Chromium: {listed}")
    unserved = [report for report in terminalreporter.getreports("skipped") if "postgresql" in report.nodeid]
    if unserved:
        terminalreporter.section("PostgreSQL tests left out")
        terminalreporter.line(f"{len(unserved)} tests were left out because there is no PostgreSQL on this machine")
