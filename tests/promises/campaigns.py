"""A collection campaign as people meet it: commands, a served address, and forms sent over HTTP."""

import contextlib
import io
import re
import subprocess
import sys
from pathlib import Path

import httpx
from killable import free_port
from waiting import wait_until

from countersight.cli import main

PASSWORD = "a long enough password"
FORM = {"related": "yes", "right": "yes", "factual_right": "yes"}
"""What somebody says about a case that is in order, in the flow `verify`."""


def collect(verb: str, campaign: Path, *more: str) -> str:
    """What a verb of `countersight collect` prints."""
    with contextlib.redirect_stdout(io.StringIO()) as printed:
        assert main(["collect", verb, str(campaign), *more]) == 0
    return printed.getvalue()


class Served:
    """A campaign served by a process of its own, which can be killed."""

    def __init__(self, campaign: Path) -> None:
        port = str(free_port())
        self.address = f"http://127.0.0.1:{port}"
        command = [sys.executable, "-m", "countersight", "collect", "serve", str(campaign), "--port", port]
        self.process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        wait_until(self._answers, self.process)

    def _answers(self) -> bool:
        try:
            return httpx.get(f"{self.address}/login", trust_env=False).status_code == 200
        except httpx.TransportError:
            return False

    def __enter__(self) -> "Served":
        return self

    def __exit__(self, *_: object) -> None:
        self.kill()

    def kill(self) -> None:
        """End it at once: nothing is written any more, and nobody is waited for."""
        self.process.kill()
        self.process.wait()


class Annotator:
    """Somebody who logs in, and sends forms."""

    def __init__(self, address: str) -> None:
        self.http = httpx.Client(base_url=address, timeout=280, trust_env=False)

    def login(self, name: str) -> "Annotator":
        self._post("/login", "/login", name=name, password=PASSWORD)
        return self

    def take(self) -> str:
        """Take an item: the path of its task."""
        place = self._post("/work", "/work/verify")
        assert place.startswith("/task/"), place
        return place

    def send(self, task: str) -> int:
        """Send the form of a task: the number under which it was acknowledged."""
        return int(re.search(r"sent=(\d+)", self._post(task, task.partition("?")[0], **FORM))[1])

    def _post(self, page: str, path: str, **fields: str) -> str:
        """Open a page for its token, then send a form: where it leads."""
        csrf = re.search(r'name="csrf" value="([0-9a-f]+)"', self.http.get(page, follow_redirects=True).text)[1]
        answer = self.http.post(path, data={"csrf": csrf, **fields})
        assert answer.status_code == 303, f"{answer.status_code}: {answer.text[:2000]}"
        return answer.headers["location"]
