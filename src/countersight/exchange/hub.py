"""`countersight push`: upload a dataset or a run to a repository on the Hugging Face Hub, with the Hub's own client."""

import json
import os
import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

from countersight.dataset import METADATA
from countersight.engine import MANIFEST, RunFolder
from countersight.errors import ExchangeError

_TARGET: Final = re.compile(r"hf://(?:datasets/)?(?P<repository>[\w.-]+/[\w.-]+)/?", re.ASCII)
_IGNORED: Final = [".*", "*/.*"]
"""Hidden files, such as a run's lock file, are not uploaded."""
_RUN_CARD: Final = """---
pretty_name: {quoted}
tags: [countersight]
configs:
- config_name: default
  data_files: replies.jsonl
---
# {title}

Replies of the model `{model}` to the questions of the dataset `{dataset}`, with the prompt `{prompt}`. `run.json`
contains the settings and `replies.jsonl` one reply per line. To score the run, download this folder and the dataset:

    countersight report THIS_FOLDER --dataset DATASET -o report
"""


def push_to_hub(source: Path, target: str, *, public: bool = False) -> str:
    """Upload a dataset or a run to `hf://OWNER/NAME`, and return the address of the repository.

    A new repository is private unless `public` is set. Unchanged files are not uploaded again.
    """
    found = _TARGET.fullmatch(target)
    if not found:
        raise ExchangeError(f"{target!r} is not a repository of the Hugging Face Hub: write hf://OWNER/NAME")
    is_run = (source / MANIFEST).is_file()
    if not is_run and not (source / METADATA).is_file():
        raise ExchangeError(f"{source} is neither a dataset nor a run: it has no {METADATA} and no {MANIFEST}")
    for file in source.rglob("*"):
        if not file.resolve().is_relative_to(source.resolve()):
            raise ExchangeError(f"{file} is a link to a file outside of {source}; replace it with a copy")
    try:
        import huggingface_hub as hub
    except ImportError:
        raise ExchangeError("the Hugging Face Hub client is not installed: pip install 'countersight[hub]'") from None
    token = hub.get_token()
    if not token:
        raise ExchangeError(
            "there is no token: set HF_TOKEN to one with write access (https://huggingface.co/settings/tokens)"
        )
    repository = found["repository"]
    place = {"repo_id": repository, "repo_type": "dataset"}
    client = hub.HfApi(endpoint=os.environ.get("HF_ENDPOINT"), token=token, library_name="countersight")
    with _converted_errors(repository, token):
        address = client.create_repo(**place, private=not public, exist_ok=True)
        if is_run and not (source / "README.md").is_file():
            run = RunFolder.open(source).manifest
            names = {"model": run.model, "dataset": run.dataset.name, "prompt": run.prompt.name}
            title = f"{run.model} on {run.dataset.name}"
            card = _RUN_CARD.format(title=title, quoted=json.dumps(title), **names)  # JSON is valid YAML
            client.upload_file(path_or_fileobj=card.encode(), path_in_repo="README.md", **place)
        client.upload_folder(
            folder_path=source, ignore_patterns=_IGNORED, commit_message="Upload with Countersight", **place
        )
    return str(address)


@contextmanager
def _converted_errors(repository: str, token: str) -> Iterator[None]:
    """Convert any error of the Hub client, whose HTTP library varies by version, to a one-sentence ExchangeError."""
    try:
        yield
    except Exception as error:
        messages = [
            str(getattr(each, "server_message", None) or each).partition("\n")[0] for each in (error, error.__cause__)
        ]
        known = [each for each in dict.fromkeys(messages) if each not in ("", "None")]  # the cause may say the same
        words = " ".join(known) or type(error).__name__
        status = getattr(getattr(error, "response", None), "status_code", None)
        hint = " (does the token have write access to it?)" if status in (401, 403, 404) else ""
        raise ExchangeError(f"cannot push to {repository}: {words.replace(token, '…')}{hint}") from error
