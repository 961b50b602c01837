"""HTML is a type of its own: a plain string does not pass for it."""

import subprocess
import sys
from pathlib import Path

from countersight.pages import Markup, element, joined, text

HOSTILE = '<script>alert("1")</script>&'


def test_words_from_data_are_escaped_and_markup_is_not():
    written = element("p", text(HOSTILE), title=HOSTILE)
    assert "<script>" not in written
    assert element("div", written).count("<p") == 1
    assert isinstance(joined([written, written]) + written, Markup)


def test_the_type_checker_refuses_a_plain_string(tmp_path: Path):
    page = tmp_path / "page.py"
    page.write_text('from countersight.pages import element\n\nelement("p", "<b>" + input())\n')
    checked = subprocess.run(
        [sys.executable, "-m", "mypy", "--follow-imports=silent", str(page)],
        capture_output=True,
        text=True,
        timeout=200,
        check=False,
        cwd=tmp_path,
    )
    assert 'incompatible type "str"; expected "Markup"' in checked.stdout
