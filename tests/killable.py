"""`countersight collect serve` in a process of its own, which can be killed and whose processor time is read."""

import asyncio
import contextlib
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
    """A served campaign; `cores` are those the server may use, as taskset(1) takes them."""

    def __init__(self, campaign: Path, database: str | None, cores: str = "") -> None:
        extra = ["--database", database] if database else []
        port = str(free_port())
        self.address = f"http://127.0.0.1:{port}"
        serve = [sys.executable, "-m", "countersight", "collect", "serve", str(campaign), "--port", port, *extra]
        self.command = [*(["taskset", "-c", cores] if cores else []), *serve]
        self.log = open(campaign.parent / "server.log", "ab")  # noqa: SIM115 - open as long as the server runs
        self.process: subprocess.Popen[bytes] | None = None
        self.answering = 0.0
        """Seconds of processor time of all the processes that were killed, but for their starts."""

    async def start(self) -> None:
        self.process = subprocess.Popen(self.command, stdout=self.log, stderr=self.log)
        while self.process.poll() is None:  # a machine under load takes its time
            try:
                async with aiohttp.ClientSession() as http, http.get(f"{self.address}/login"):
                    self.answering -= self.processor()
                    return
            except aiohttp.ClientError:
                await asyncio.sleep(0.05)
        raise RuntimeError(f"the server does not come up: {self.log.name} says why")

    def kill(self) -> None:
        assert self.process is not None
        if self.process.returncode is not None:  # it did not come up
            return
        self.process.send_signal(signal.SIGKILL)
        _, _, used = os.wait4(self.process.pid, 0)
        self.process.returncode = -signal.SIGKILL  # it was waited for already
        self.answering += used.ru_utime + used.ru_stime

    def waited(self) -> tuple[float, ...]:
        """Seconds in which the thread that answers, and this process, were ready and had no core: others were busy."""
        assert self.process is not None
        places = (Path(f"/proc/{pid}/schedstat") for pid in (self.process.pid, "self"))
        return tuple(int(place.read_text().split()[1]) / 1e9 for place in places)

    def processor(self) -> float:
        """Seconds of processor time that the running server has taken; Linux names the clock of a process so."""
        assert self.process is not None
        return time.clock_gettime((~self.process.pid << 3) | 2)
