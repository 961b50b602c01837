"""A PostgreSQL server of our own: a cluster in a folder, reached by a socket in it, gone afterwards."""

import os
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path


def binaries() -> Path | None:
    """Where PostgreSQL's programs are: on the PATH, or where Debian puts them."""
    found = shutil.which("initdb")
    if found:
        return Path(found).parent
    folders = sorted(Path("/usr/lib/postgresql").glob("*/bin/initdb"))
    return folders[-1].parent if folders else None


@contextmanager
def cluster(*, durable: bool = False) -> Iterator[str]:
    """A running server; the address of an empty database on it. Tests need not wait for the disk."""
    programs = binaries()
    assert programs is not None
    folder = Path(tempfile.mkdtemp(prefix="countersight-pg-"))
    other = ["runuser", "-u", "postgres", "--"] if os.geteuid() == 0 else []  # the server refuses to run as root
    user = "postgres" if other else os.environ.get("USER", "postgres")
    if other:
        shutil.chown(folder, "postgres")

    def call(program: str, *words: str) -> None:
        subprocess.run(
            [*other, str(programs / program), *words], check=True, stdout=subprocess.DEVNULL, cwd=folder, timeout=280
        )

    data = str(folder / "data")
    try:
        call("initdb", "-D", data, "-A", "trust", "-U", user, "--no-sync")
        options = f"-c listen_addresses='' -c unix_socket_directories={folder}"
        options += "" if durable else " -c fsync=off -c full_page_writes=off"
        call("pg_ctl", "-D", data, "-w", "-t", "270", "-l", str(folder / "log"), "-o", options, "start")
        yield f"postgresql://{user}@/postgres?host={folder}"
    finally:
        if (folder / "data" / "postmaster.pid").exists():
            call("pg_ctl", "-D", data, "-w", "-m", "immediate", "stop")
        shutil.rmtree(folder, ignore_errors=True)
