"""PCS, NCC and CCS of an audit: means over cases, intervals over pictures, exclusions and their reasons."""

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from countersight.audits.ccs import mean_by_cluster
from countersight.audits.exclusion import BAD_EDIT, FLIPS, NO_PICTURE, UNMOVED
from countersight.audits.manifest import Actor, Manifest
from countersight.audits.records import CONTROL, CaseRecord, Concepts, EditRecord, ModelReply, Verdict
from countersight.audits.scores import score
from countersight.audits.trail import AuditTrail, CaseTrail, ConceptTrail, Response
from countersight.case import Question
from countersight.editing.protocol import Instruction
from countersight.editing.quality.measuring import EditQuality
from countersight.engine import DatasetReference

GOOD, BAD = EditQuality(good=True), EditQuality(good=False, reason="nothing changed")


def concept(number, pcs, ncc, *, kind="object", quality=GOOD, after="after", moved=None, failure="", judges=("j",)):
    instruction = Instruction(f"concept {number}", kind, "remove", "It is gone.")
    edit = EditRecord(instruction, "before", after, quality=quality, failure=failure)
    verdicts = tuple(Verdict(judge, 1, pcs, ncc, path="model", moved=moved) for judge in judges) if after else ()
    again = Response(ModelReply("2"), ModelReply("so")) if after else None
    return ConceptTrail(number, instruction, edit, again, verdicts)


def case(row, *concepts, picture=None, control=None):
    record = CaseRecord(picture or f"p{row}", Question("How many?", "1", "number"), "a.png", group=f"g{row % 2}")
    nothing = ConceptTrail(
        CONTROL, Instruction("", "object", "nothing", ""), None, Response(ModelReply(control), ModelReply(""))
    )
    return CaseTrail(
        f"c{row}",
        row,
        record,
        Response(ModelReply("1"), ModelReply("because")),
        Concepts(tuple(each.instruction for each in concepts)),
        concepts,
        nothing if control else None,
    )


def scored(*cases, judges=("j",)):
    manifest = Manifest(
        DatasetReference("d", ".", "f", len(cases)),
        *(Actor(name) for name in ("m", "rules", "exact")),
        tuple(map(Actor, judges)),
        "majority",
        0,
        {},
        *("",) * 4,
    )
    return score(AuditTrail(Path(), manifest, cases, ()))


def test_the_score_of_a_model_is_the_mean_over_cases_of_means_over_concepts():
    found = scored(case(0, concept(1, 1, 1)), case(1, concept(1, 0, 1), concept(2, 0, 0), concept(3, 1, 1)))
    assert found.kept.pcs.value == pytest.approx((1 + 1 / 3) / 2)
    assert found.kept.ncc.value == pytest.approx((1 + 2 / 3) / 2)
    assert found.kept.ccs.value == pytest.approx((1 + 1 / 3) / 2)
    assert (found.kept.ccs.concepts, found.kept.ccs.cases, found.kept.ccs.pictures) == (4, 2, 2)
    assert [test.ccs for test in found.concepts] == [1, 0, 0, 1]


def test_excluded_tests_have_reasons_and_scores_are_given_with_and_without_them():
    found = scored(
        case(0, concept(1, 1, 1)),
        case(1, concept(1, 0, 0, quality=BAD)),
        case(2, concept(1, 0, 0, moved=False)),
        case(3, concept(1, None, None, after="", failure="no such thing")),
        case(4, concept(1, 0, 0), control="9"),
        case(5, concept(1, 1, 1), control="1."),
    )
    assert found.excluded == {
        f"{BAD_EDIT}: nothing changed": 1,
        UNMOVED: 1,
        f"{NO_PICTURE}: no such thing": 1,
        FLIPS: 1,
    }
    assert (found.kept.ccs.value, found.kept.ccs.concepts) == (1, 2)
    assert (found.everything.ccs.value, found.everything.ccs.concepts) == (pytest.approx(2 / 5), 5)
    assert (found.controls, found.flips) == (2, 1)


def test_scores_by_kind_group_and_judge():
    found = scored(
        case(0, concept(1, 1, 1, kind="attribute", judges=("j", "k"))),
        case(1, concept(1, 0, 1, judges=("j", "k"))),
        judges=("j", "k"),
    )
    assert {kind: trio.pcs.value for kind, trio in found.by_kind.items()} == {"attribute": 1, "object": 0}
    assert {group: trio.pcs.value for group, trio in found.by_group.items()} == {"g0": 1, "g1": 0}
    assert {judge: trio.pcs.value for judge, trio in found.by_judge.items()} == {"j": 0.5, "k": 0.5}


def test_abstentions_are_counted_and_never_scored():
    found = scored(case(0, concept(1, None, None)), case(1, concept(1, 1, 1)), case(2))
    assert (found.abstentions, found.undecided, found.without_concept) == ({"j": 1}, 1, 1)
    assert (found.kept.ccs.value, found.kept.ccs.concepts) == (1, 1)


SCORES = st.lists(
    st.tuples(st.integers(0, 5).map(str), st.integers(0, 3).map(str), st.sampled_from([0.0, 0.5, 1.0])), min_size=1
)


@given(SCORES)
@settings(max_examples=40)
def test_an_interval_contains_its_mean_and_stays_between_0_and_1(scores):
    mean = mean_by_cluster(scores)
    assert 0 <= mean.low <= mean.value <= mean.high <= 1
    assert mean == mean_by_cluster(scores)


def test_intervals_are_clustered_by_picture():
    apart = mean_by_cluster([(str(n), "c", float(n % 2)) for n in range(40)])
    together = mean_by_cluster([(str(n // 10), str(n), float(n // 10 % 2)) for n in range(40)])
    assert together.high - together.low > 2 * (apart.high - apart.low)
