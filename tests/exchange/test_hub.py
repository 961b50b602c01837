"""`push`, with the Hub's own client against a server on the loopback that speaks the part of its protocol used here."""

import base64
import hashlib
import json
import sys
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest
import yaml

import countersight as cs
from countersight.cli import main
from countersight.errors import ExchangeError

TOKEN = "hf_secret"
pytestmark = pytest.mark.filterwarnings("ignore:Use 'content=:DeprecationWarning")  # the client's own business


class Hub(ThreadingHTTPServer):
    """Keeps what was committed: small text files inline, pictures by way of LFS."""

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), Handler)
        self.repositories: dict[str, bool] = {}
        self.files: dict[str, bytes] = {}
        self.large: dict[str, bytes] = {}
        self.cards: list[dict] = []
        self.refused = 0
        self.address = f"http://127.0.0.1:{self.server_port}"


class Handler(BaseHTTPRequestHandler):
    server: Hub

    def log_message(self, *_: object) -> None:
        pass

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers["Content-Length"]))
        hub = self.server
        if self.headers["Authorization"] != f"Bearer {TOKEN}":
            hub.refused += 1
            return self._answer(401, {"error": "Invalid username or password."})
        if self.path == "/api/repos/create":
            asked = json.loads(body)
            name = f"{asked['organization']}/{asked['name']}"
            known = name in hub.repositories
            hub.repositories.setdefault(name, bool(asked.get("private") or asked.get("visibility") == "private"))
            return self._answer(409 if known else 200, {"url": f"{hub.address}/datasets/{name}"})
        if "/preupload/" in self.path:
            files = [
                {"path": each["path"], "uploadMode": _mode(each["path"]), "shouldIgnore": False}
                for each in json.loads(body)["files"]
            ]
            return self._answer(200, {"files": files})
        if self.path.endswith("/info/lfs/objects/batch"):
            objects = [
                each | {"actions": {"upload": {"href": f"{hub.address}/lfs/{each['oid']}"}}}
                if each["oid"] not in hub.large
                else each
                for each in json.loads(body)["objects"]
            ]
            return self._answer(200, {"transfer": "basic", "objects": objects})
        if self.path == "/api/validate-yaml":
            hub.cards.append(yaml.safe_load(json.loads(body)["content"].split("---")[1]))
            return self._answer(200, {"errors": [], "warnings": []})
        assert "/commit/" in self.path, self.path
        for line in body.splitlines():
            self._commit(json.loads(line))
        return self._answer(
            200, {"success": True, "commitOid": "0" * 40, "commitUrl": f"{hub.address}/datasets/me/x/commit/0"}
        )

    def _commit(self, line: dict) -> None:
        value = line["value"]
        if line["key"] == "file":
            self.server.files[value["path"]] = base64.b64decode(value["content"])
        elif line["key"] == "lfsFile":
            self.server.files[value["path"]] = self.server.large[value["oid"]]

    def do_PUT(self) -> None:
        if self.headers["Transfer-Encoding"] == "chunked":
            content = b""
            while size := int(self.rfile.readline(), 16):
                content += self.rfile.read(size)
                self.rfile.readline()
            self.rfile.readline()
        else:
            content = self.rfile.read(int(self.headers["Content-Length"]))
        assert self.path == f"/lfs/{hashlib.sha256(content).hexdigest()}"
        self.server.large[self.path.removeprefix("/lfs/")] = content
        self._answer(200, {})

    def _answer(self, status: int, told: dict) -> None:
        content = json.dumps(told).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(content)))
        if "error" in told:
            self.send_header("X-Error-Message", told["error"])
        self.end_headers()
        self.wfile.write(content)


def _mode(path: str) -> str:
    return "lfs" if path.endswith(".png") else "regular"


@pytest.fixture
def hub(monkeypatch: pytest.MonkeyPatch) -> Iterator[Hub]:
    import huggingface_hub.constants

    monkeypatch.setattr(huggingface_hub.constants, "HF_HUB_DISABLE_XET", True)  # the other protocol for large files
    monkeypatch.setattr(huggingface_hub.constants, "HF_HUB_OFFLINE", False)  # whatever another test imported it with
    server = Hub()
    monkeypatch.setenv("HF_ENDPOINT", server.address)
    monkeypatch.setenv("HF_TOKEN", TOKEN)
    thread = threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True)
    thread.start()
    yield server
    server.shutdown()
    thread.join(10)
    server.server_close()


@pytest.fixture(scope="module")
def flowers(tmp_path_factory: pytest.TempPathFactory) -> cs.Dataset:
    return cs.make("cvqa-synthetic", tmp_path_factory.mktemp("hub") / "flowers", size=2, seed=3)


def _contents(folder: Path) -> dict[str, bytes]:
    files = (file for file in folder.rglob("*") if file.is_file() and not file.name.startswith("."))
    return {file.relative_to(folder).as_posix(): file.read_bytes() for file in files}


def test_a_dataset_is_uploaded_completely_and_only_once(
    hub: Hub, flowers: cs.Dataset, capfd: pytest.CaptureFixture[str]
) -> None:
    for _ in range(2):
        assert main(["push", str(flowers.path), "hf://me/flowers"]) == 0
    assert hub.files == _contents(flowers.path)
    assert sum(name.endswith(".png") for name in hub.files) == len(hub.large) == 4
    assert hub.repositories == {"me/flowers": True}, "a new repository is private"
    printed = capfd.readouterr()
    assert printed.out == f"{hub.address}/datasets/me/flowers\n" * 2
    assert TOKEN not in printed.out + printed.err


def test_a_run_is_uploaded_with_a_card(hub: Hub, flowers: cs.Dataset, tmp_path: Path) -> None:
    run = cs.run(flowers, lambda picture, question: "A", out=tmp_path / "run", name="mine: #1")
    assert cs.push(run, "hf://datasets/me/run/", public=True) == f"{hub.address}/datasets/me/run"
    card = hub.files.pop("README.md").decode()
    assert "# mine: #1 on flowers" in card
    assert hub.cards[0]["pretty_name"] == "mine: #1 on flowers"
    assert hub.files == _contents(run.path)
    assert hub.repositories == {"me/run": False}
    assert not (run.path / "README.md").exists()


def test_a_refused_token_is_an_error(hub: Hub, flowers: cs.Dataset, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HF_TOKEN", "hf_other")
    with pytest.raises(
        ExchangeError, match=r"^cannot push to me/flowers: .*does the token have write access"
    ) as failed:
        cs.push(flowers, "hf://me/flowers")
    assert "hf_other" not in str(failed.value)
    assert hub.refused
    assert not hub.files


def test_invalid_sources_are_refused_before_uploading(
    hub: Hub, flowers: cs.Dataset, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    linked = cs.make("cvqa-synthetic", tmp_path / "linked", size=1, seed=3)
    (tmp_path / "secret").write_text("secret")
    (linked.path / "images" / "more.png").symlink_to(tmp_path / "secret")
    for source, target, words in [
        (flowers.path, "me/flowers", "write hf://OWNER/NAME"),
        (tmp_path, "hf://me/flowers", "neither a dataset nor a run"),
        (linked.path, "hf://me/flowers", "more.png is a link to a file outside"),
    ]:
        with pytest.raises(ExchangeError, match=words):
            cs.push(source, target)
    monkeypatch.delenv("HF_TOKEN")
    monkeypatch.setattr("huggingface_hub.get_token", lambda: None)
    with pytest.raises(ExchangeError, match="set HF_TOKEN"):
        cs.push(flowers, "hf://me/flowers")
    monkeypatch.setitem(sys.modules, "huggingface_hub", None)
    with pytest.raises(ExchangeError, match=r"pip install 'countersight\[hub\]'"):
        cs.push(flowers, "hf://me/flowers")
    assert not hub.repositories
