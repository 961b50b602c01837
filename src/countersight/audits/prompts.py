"""The prompts of audits: sets that ship with Countersight, and sets from users' files."""

import tomllib
from pathlib import Path
from typing import Any, Final

import msgspec

from countersight.case import Question
from countersight.engine import PLACEHOLDER, fill
from countersight.errors import CountersightError
from countersight.suggestions import unknown

LONGEST_FILE = 256 * 1024
USUAL: Final = "edct"
BRIEF: Final = "brief"


class AuditPrompts(msgspec.Struct, frozen=True):
    """One set of prompts; `prompts.toml` explains each field."""

    name: str
    version: int
    number: str
    boolean: str
    open: str
    why: str
    extract: str
    judge: str
    again: str

    def ask(self, question: Question) -> str:
        """Return the prompt of a question: options are never listed, because all may be wrong after an edit."""
        return fill(getattr(self, question.unlisted_kind), {"question": question.text})


_FIELDS = tuple(field.name for field in msgspec.structs.fields(AuditPrompts))
_NAMES: Final[dict[str, tuple[str, ...]]] = {
    **dict.fromkeys(("number", "boolean", "open"), ("question",)),
    "why": (),
    "extract": ("question", "answer", "explanation", "most", "able"),
    "judge": ("question", "answer", "explanation", "change", "keep", "new_answer", "new_explanation"),
    "again": ("fault",),
}
"""The placeholders of each text; all are required, except those in `_OPTIONAL`."""
_OPTIONAL: Final = ("keep", "fault", "able")
_PAPERS: Final[dict[str, tuple[str, ...]]] = {
    "extract": ("question", "original_answer", "original_explanation"),
    "judge": (
        *("original_answer", "original_explanation", "edit_instruction"),
        *("edited_answer", "edited_explanation"),
    ),
}
"""The placeholders of the paper's own prompts (appendix A), which can be used unchanged."""
_CALLED: Final = {
    "vqa_explanation_prompt": "why",
    "concept_extraction_edit_instruction_prompt": "extract",
    "llm_analysis_prompt": "judge",
}
"""The paper's names for its prompts, which a file may also use."""
PAPER: Final = "paper"
PAPERS_FILE: Final = "paper.toml"


def _shipped() -> dict[str, AuditPrompts]:
    sets: dict[str, AuditPrompts] = {}
    for name, fields in tomllib.loads(Path(__file__).with_name("prompts.toml").read_text(encoding="utf-8")).items():
        like = fields.pop("like", None)
        whole = msgspec.structs.asdict(sets[like]) if like else {}
        sets[name] = msgspec.convert(whole | fields | {"name": name}, AuditPrompts)
    return sets


SETS: Final = _shipped()


def find_prompts(name: str) -> AuditPrompts:
    """Return the set with this name, or the one in the file with this name."""
    if name in SETS:
        return SETS[name]
    if name == PAPER:
        return _papers(Path(PAPERS_FILE))
    path = Path(name)
    if path.suffix.lower() == ".toml" or path.is_file():
        return _read(path)
    raise CountersightError(unknown("set of prompts", name, SETS) + "; you can also name a .toml file of your own")


def _read(path: Path) -> AuditPrompts:
    with open(path, "rb") as file:
        data = file.read(LONGEST_FILE + 1)
    if len(data) > LONGEST_FILE:
        raise CountersightError(f"{path} is longer than {LONGEST_FILE:,} bytes, the limit of a prompt file")
    try:
        fields: dict[str, Any] = tomllib.loads(data.decode())
    except (ValueError, RecursionError) as error:
        raise CountersightError(f"{path} is not TOML: {error}") from None
    fields = {_CALLED.get(field, field): words for field, words in fields.items()}
    for field in fields:
        if field not in (*_FIELDS, "like"):
            raise CountersightError(f"{path}: {unknown('field', field, (*_FIELDS, 'like'))}")
    like = fields.pop("like", USUAL)
    if not isinstance(like, str) or like not in SETS:
        raise CountersightError(f"{path}: like: {unknown('set of prompts', str(like), SETS)}")
    fields.setdefault("name", path.stem)
    try:
        prompts = msgspec.convert(msgspec.structs.asdict(SETS[like]) | fields, AuditPrompts)
    except msgspec.ValidationError as error:
        raise CountersightError(f"{path}: {error}") from None
    if prompts.name in SETS:
        raise CountersightError(f"{path}: name: {prompts.name} is the name of a built-in set; choose another name")
    for field, names in _NAMES.items():
        _check(path, field, getattr(prompts, field), names)
    return prompts


def _papers(path: Path) -> AuditPrompts:
    """Return the paper's prompts from a file made by the user, because we may not distribute them."""
    if not path.is_file():
        raise CountersightError(
            f"the paper's prompts are not part of Countersight: copy them from the paper's appendix A into {path}, "
            f"as {', '.join(_CALLED)}, and keep the names in braces"
        )
    return _read(path)


def _check(path: Path, field: str, text: str, names: tuple[str, ...]) -> None:
    found = {match[1] for match in PLACEHOLDER.finditer(text) if match[1]}
    papers = _PAPERS.get(field, ())
    if found & set(papers) - {"question"}:
        names = papers
    for name in sorted(found - set(names)):
        raise CountersightError(f"{path}: {field}: {unknown('name in braces', name, names or ('none here',))}")
    for name in names:
        if name not in found and name not in _OPTIONAL:
            raise CountersightError(f"{path}: {field}: the placeholder {{{name}}} is missing")
