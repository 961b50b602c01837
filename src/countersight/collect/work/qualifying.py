"""Qualification tests: who may work in a phase."""

from typing import Literal

import msgspec
from sqlalchemy import Connection, func, insert, select, update

from countersight.collect.database import tables
from countersight.collect.settings import Settings

Qualification = Literal["qualified", "untested", "failed"]


class TestResult(msgspec.Struct, frozen=True):
    """The result of a test."""

    passed: bool
    right: tuple[bool, ...]


def standing(
    connection: Connection, settings: Settings, person_id: int, phase: str, now: float
) -> tuple[Qualification, int]:
    """Return whether somebody may work in a phase (only a pass of the current test counts), and the tries left."""
    test = settings.phases[phase].test
    if test is None:
        return "qualified", 0
    row = tables.qualification.c
    own = (row.person_id == person_id, row.phase == phase, row.version == test.version, row.reset_by.is_(None))
    rows = connection.execute(select(row.passed, row.at).where(*own)).all()
    left = max(0, test.tries - len(rows))
    if any(each.passed and (not test.days or now - each.at < test.days * 86_400) for each in rows):
        return "qualified", left
    return ("untested" if left or any(each.passed for each in rows) else "failed"), left


def take_test(
    connection: Connection, settings: Settings, person_id: int, phase: str, answers: list[int], now: float
) -> TestResult | None:
    """Grade a test and store the result; None if there is no try left, or no test."""
    test = settings.phases[phase].test
    if test is None or standing(connection, settings, person_id, phase, now)[0] != "untested":
        return None
    right = tuple(given == question.answer for given, question in zip(answers, test.questions, strict=True))
    passed = sum(right) >= test.pass_mark * len(right) - 1e-9
    row = {"person_id": person_id, "phase": phase, "version": test.version, "passed": passed, "at": now}
    connection.execute(insert(tables.qualification).values(answers=msgspec.json.encode(answers).decode(), **row))
    return TestResult(passed, right)


def reset(connection: Connection, person_id: int, by: int | None) -> int:
    """Reset somebody's tries, which are kept but no longer count; return how many there were."""
    theirs = (tables.qualification.c.person_id == person_id) & tables.qualification.c.reset_by.is_(None)
    return connection.execute(update(tables.qualification).where(theirs).values(reset_by=by or person_id)).rowcount


def has_new_guidelines(connection: Connection, settings: Settings, person_id: int, phase: str) -> bool:
    """Whether the guidelines of a phase have changed since the person last worked there."""
    made = tables.contribution.c
    followed = select(func.max(made.guideline_version)).where(made.person_id == person_id, made.phase == phase)
    return 0 < (connection.execute(followed).scalar() or 0) < settings.phases[phase].version
