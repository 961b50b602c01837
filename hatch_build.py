"""Metadata that depends on where the repository is: the project's URLs, and the links of the README as PyPI shows it.

The address is `repository` in pyproject.toml; the release workflow overrides it with COUNTERSIGHT_REPOSITORY.
PyPI has no files of the repository, so links to them become absolute. As long as the address is empty, links to files
become plain text and pictures are left out.
"""

import os
import re
from pathlib import Path
from typing import Any

from hatchling.metadata.plugin.interface import MetadataHookInterface

_LINK = re.compile(r"(!?)\[([^\]]*)\]\((?!https?:|#)([^)]+)\)")


class RepositoryLinks(MetadataHookInterface):
    """Fills in the readme and the URLs."""

    def update(self, metadata: dict[str, Any]) -> None:
        """Called by hatchling with the metadata of pyproject.toml."""
        repository = (os.environ.get("COUNTERSIGHT_REPOSITORY") or self.config["repository"]).rstrip("/")
        text = (Path(self.root) / "README.md").read_text(encoding="utf-8")
        readme = absolute_links(text, repository, f"v{metadata['version']}")
        metadata["readme"] = {"content-type": "text/markdown", "text": readme}
        metadata["urls"] = (
            {
                "Repository": repository,
                "Documentation": f"{repository}/tree/v{metadata['version']}/docs",
                "Changelog": f"{repository}/blob/v{metadata['version']}/CHANGELOG.md",
                "Issues": f"{repository}/issues",
            }
            if repository
            else {}
        )


def absolute_links(markdown: str, repository: str, version: str) -> str:
    """The text with its links to files of the repository made absolute, or, without an address, made plain text."""

    def link(found: re.Match[str]) -> str:
        picture, words, path = found.groups()
        if not repository:
            return "" if picture else words
        return f"{picture}[{words}]({repository}/{'raw' if picture else 'blob'}/{version}/{path})"

    return _LINK.sub(link, markdown)
