"""What a release needs: one version everywhere, and a README whose links work on PyPI."""

import re
import tomllib
from pathlib import Path

import pytest

from countersight import __version__
from hatch_build import absolute_links

ROOT = Path(__file__).parents[1]
README = (ROOT / "README.md").read_text(encoding="utf-8")
LINK = re.compile(r"\[[^\]]*\]\(([^)]+)\)")


def test_citation_and_changelog_name_this_version() -> None:
    assert f"\nversion: {__version__}\n" in (ROOT / "CITATION.cff").read_text(encoding="utf-8")
    assert f"\n## {__version__}\n" in (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")


@pytest.mark.parametrize("name", ["README.md", "CHANGELOG.md", "SECURITY.md"])
def test_links_lead_to_files(name: str) -> None:
    for link in LINK.findall((ROOT / name).read_text(encoding="utf-8")):
        assert link.startswith("https://") or (ROOT / link.partition("#")[0]).is_file(), link


def test_links_of_the_readme_are_absolute_on_pypi() -> None:
    links = LINK.findall(absolute_links(README, "https://example.org/countersight", "v1"))
    assert "https://example.org/countersight/raw/v1/docs/case.png" in links
    assert "https://example.org/countersight/blob/v1/docs/suites.md" in links
    assert all(link.startswith("https://") for link in links)


def test_without_an_address_the_readme_has_no_link_that_leads_nowhere() -> None:
    plain = absolute_links(README, "", "v1")
    assert all(link.startswith("https://") for link in LINK.findall(plain))
    assert absolute_links("[a](docs/a.md) ![b](b.png) [c](https://c.org)", "", "v1") == "a  [c](https://c.org)"


def test_classifiers_name_every_python_version_that_is_tested() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    workflow = (ROOT / ".github" / "workflows" / "tests.yml").read_text(encoding="utf-8")
    tested = re.findall(r'"(3\.\d+)"', workflow)
    assert tested
    assert {f"Programming Language :: Python :: {version}" for version in tested} <= set(project["classifiers"])
