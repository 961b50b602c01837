"""`countersight collect serve` in a process of its own, which can be killed and whose processor time is read.

Servers are forked from a process that has imported everything, so that one that was killed is back at once.
"""

import asyncio
import contextlib
import importlib
import os
import random
import signal
import socket
import subprocess
import sys
import time
from pathlib import Path

import aiohttp


def free_port() -> int:
    """A port for a server that comes and goes. No system gives one so low to whoever asks for any, so it stays free."""
    for port in random.sample(range(20_000, 30_000), 100):
        with contextlib.suppress(OSError), socket.create_server(("127.0.0.1", port)):
            return port
    raise RuntimeError("a hundred ports are taken")


class Server:
    """A served campaign."""

    def __init__(self, campaign: Path, database: str | None) -> None:
        extra = ["--database", database] if database else []
        port = str(free_port())
        self.address = f"http://127.0.0.1:{port}"
        command = [sys.executable, __file__, "collect", "serve", str(campaign), "--port", port, *extra]
        self.log = open(campaign.parent / "server.log", "ab")  # noqa: SIM115 - open as long as the server runs
        self._forking = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=self.log, text=True
        )
        self.pid = 0
        self.answering = 0.0
        """Seconds of processor time of all the processes that were killed, but for their starts."""

    async def start(self) -> None:
        self._tell("start")
        self.pid = int(self._hear())
        while Path(f"/proc/{self.pid}").exists():  # a machine under load takes its time
            try:
                async with aiohttp.ClientSession() as http, http.get(f"{self.address}/login"):
                    self.answering -= self.processor()
                    return
            except aiohttp.ClientError:
                await asyncio.sleep(0.02)
        raise RuntimeError(f"the server does not come up: {self.log.name} says why")

    def kill(self) -> None:
        with contextlib.suppress(ProcessLookupError):  # it did not come up
            os.kill(self.pid, signal.SIGKILL)
        self.answering += float(self._hear())

    def close(self) -> None:
        """Kill the server and the process that starts it."""
        self.kill()
        self._forking.communicate()
        self.log.close()

    def _tell(self, words: str) -> None:
        assert self._forking.stdin is not None
        self._forking.stdin.write(words + "\n")
        self._forking.stdin.flush()

    def _hear(self) -> str:
        assert self._forking.stdout is not None
        return self._forking.stdout.readline()

    def processor(self) -> float:
        """Seconds of processor time that the running server has taken; Linux names the clock of a process so."""
        return time.clock_gettime((~self.pid << 3) | 2)


def _fork_servers(arguments: list[str]) -> None:
    """Start a server for each line that is read; tell its number, and its processor time once it has ended."""
    from countersight.cli import main
    from countersight.collect.web import serve
    from countersight.collect.web.rendering import templates

    assert serve
    templates()
    with contextlib.suppress(ImportError):
        importlib.import_module("psycopg")
    for _ in sys.stdin:
        pid = os.fork()
        if not pid:
            os.dup2(sys.stderr.fileno(), sys.stdout.fileno())
            os._exit(main(arguments))
        print(pid, flush=True)
        _, _, used = os.wait4(pid, 0)
        print(used.ru_utime + used.ru_stime, flush=True)


if __name__ == "__main__":
    _fork_servers(sys.argv[1:])
