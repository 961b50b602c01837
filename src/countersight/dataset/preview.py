"""The first cases of a dataset as a notebook shows them."""

from collections.abc import Iterable
from html import escape

from countersight.case import Case, Question
from countersight.errors import BadPicture
from countersight.picture import Picture, data_url

SHOWN = 3
HEAVIEST = 300_000
"""Bytes of a picture that goes into a cell; a notebook keeps all it has shown."""


def preview(words: str, cases: Iterable[tuple[Case, Picture | BadPicture | None]]) -> str:
    """A line of words, and a table of cases with their pictures."""
    rows = "".join(
        f"<tr><td>{_picture(picture)}</td><td>{escape(case.id)}</td>"
        f"<td>{_question(case.factual)}</td><td>{_question(case.counterfactual)}</td></tr>"
        for case, picture in cases
    )
    head = "<tr><th>picture</th><th>case</th><th>factual</th><th>counterfactual</th></tr>"
    return f"<div><code>{escape(words)}</code></div><table>{head}{rows}</table>"


def _picture(picture: Picture | BadPicture | None) -> str:
    if not isinstance(picture, Picture) or len(picture.data) > HEAVIEST:
        return "–" if picture is None else escape(str(picture) if isinstance(picture, BadPicture) else "large")
    return f'<img src="{data_url(picture.mime, picture.data)}" width="160" alt="">'


def _question(question: Question | None) -> str:
    if question is None:
        return "–"
    return f"{escape(question.text)} <b>{escape(question.right_text if question.answer else 'hidden')}</b>"
