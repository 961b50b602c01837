"""Qualification tests of phases, and whether somebody has worked with the current guidelines."""

from typing import Literal

import msgspec
from sqlalchemy import Connection, func, insert, select, update

from countersight.collect import tables
from countersight.collect.campaign import Campaign

Qualification = Literal["qualified", "untested", "failed"]


def test_result(connection: Connection, campaign: Campaign, person_id: int, phase: str) -> tuple[Qualification, int]:
    """Return whether somebody has passed the current qualification test of a phase, and how many tries are left."""
    test = campaign.settings.phases[phase].test
    if test is None:
        return "qualified", 0
    row = tables.qualification.c
    own = (row.person_id == person_id, row.phase == phase, row.version == test.version, row.reset_by.is_(None))
    tries = list(connection.execute(select(row.passed).where(*own)).scalars())
    left = max(0, test.tries - len(tries))
    return ("qualified" if any(tries) else "untested" if left else "failed"), left


def take_test(
    connection: Connection, campaign: Campaign, person_id: int, phase: str, answers: list[int], now: float
) -> tuple[bool, ...]:
    """Grade a qualification test and store the result; return which answers are right, none if no try is left."""
    test = campaign.settings.phases[phase].test
    if test is None or test_result(connection, campaign, person_id, phase)[0] != "untested":
        return ()
    right = tuple(given == question.answer for given, question in zip(answers, test.questions, strict=True))
    passed = sum(right) >= test.pass_mark * len(right) - 1e-9
    row = {"person_id": person_id, "phase": phase, "version": test.version, "passed": passed, "at": now}
    connection.execute(insert(tables.qualification).values(answers=msgspec.json.encode(answers).decode(), **row))
    return right


def reset_tests(connection: Connection, person_id: int, by: int | None) -> None:
    """Let somebody repeat the tests; earlier tries are kept but no longer count."""
    theirs = (tables.qualification.c.person_id == person_id) & tables.qualification.c.reset_by.is_(None)
    connection.execute(update(tables.qualification).where(theirs).values(reset_by=by or person_id))


def has_new_guidelines(connection: Connection, campaign: Campaign, person_id: int, phase: str) -> bool:
    """Whether the guidelines of a phase have changed since the person last worked there."""
    made = tables.contribution.c
    followed = select(func.max(made.guideline_version)).where(made.person_id == person_id, made.phase == phase)
    return 0 < (connection.execute(followed).scalar() or 0) < campaign.settings.phases[phase].version
