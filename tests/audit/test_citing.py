"""Concepts that the explanation cites, formats of replies, and the paper's prompts."""

import json

import pytest
from audits import audit as audited
from audits import scenes
from chat_server import ChatServer, question_of

from countersight.audits.extraction.model import UNCITED, cited_share, extract_prompt, parse_concepts
from countersight.audits.extraction.protocol import Statement
from countersight.audits.judges.model import parse_verdict
from countersight.audits.prompts import SETS, find_prompts
from countersight.audits.records import Attempt
from countersight.errors import CountersightError

WHY = "The man wears a white coat, and a stethoscope hangs around his neck. The wall behind him is pale blue."
PAPER = """
why = "what is the reason for your answer"
extract = 'Question: "{question}" Original Answer: "{original_answer}" Original Explanation: "{original_explanation}"'
judge = '''Answer: "{original_answer}" Why: "{original_explanation}" Edit: "{edit_instruction}"
New: "{edited_answer}" New why: "{edited_explanation}"'''
"""


def told(*concepts, **more):
    listed = [
        {"concept": each, "kind": "object", "action": "remove", "positive": "Remove it."} | more for each in concepts
    ]
    return (Attempt(json.dumps({"concepts": listed})),)


def extracted(tries, most=4, why=WHY):
    return parse_concepts(tries, most, why, SETS["edct"])


def judged(text):
    return parse_verdict("j", 1, (Attempt(text),), SETS["edct"])


@pytest.mark.parametrize(
    ("concept", "cited"),
    [
        ("a stethoscope", True),
        ("the white coats", True),
        ("WHITE COAT of the man", True),
        ("stethoscope, doctor, hospital", True),
        ("what the explanation cites, in its words", False),
        ("orange leaves of the maple tree", False),
        ("a hose", False),
        ("", False),
        ("the", True),
    ],
)
def test_a_concept_is_cited_by_its_words(concept, cited):
    found = extracted(told(concept)) if concept else None
    assert (bool(found.instructions) if found else cited_share(WHY, concept) >= 0.5) == cited


def test_uncited_concepts_are_refused_and_counted():
    found = extracted(told("a stethoscope", "the orange leaves", "a white coat"))
    assert [each.concept for each in found.instructions] == ["a stethoscope", "a white coat"]
    assert found.refused == ("the orange leaves",)
    none = extracted(told("the orange leaves"))
    assert (none.instructions, none.reason) == ((), UNCITED)


@pytest.mark.parametrize(
    ("concept", "kind", "why"),
    [
        ("the red car", "attribute", "A car stands on the street."),
        ("a dragon", "object", "A car stands on the street."),
        ("orange leaves of the maple tree", "attribute", "The tree has green leaves."),
        ("a bicycle leans on the wall", "object", "A man leans on the wall."),
    ],
)
def test_unnamed_attributes_and_examples_of_the_prompt_are_not_cited(concept, kind, why):
    """This also holds if the target of the edit is named, because the page shows the concept."""
    assert extracted(told(concept, kind=kind, target="car"), why=why).refused == (concept,)


def test_a_verdict_copied_from_the_prompts_example_is_rejected():
    example = json.loads(SETS["edct"].judge.replace("{{", "{").replace("}}", "}").splitlines()[-1])
    assert judged(json.dumps(example)).pcs_reason.endswith("the reasons were copied from the example in the prompt")
    for other in ({"ncc_reason": "It names the wall."}, {"pcs_reason": "a", "ncc_reason": "b"}, {"pcs_reason": ""}):
        assert judged(json.dumps(example | other)).path == "model"


def test_concepts_copied_from_the_prompt_are_refused(tmp_path):
    """A model with 135 million parameters returned the prompt's example for every picture."""

    def parrot(server, number, body):
        example = question_of(body).split('{"concepts"')[1].splitlines()[0]
        return 'say:{"concepts"' + example

    with ChatServer(parrot) as extractor:
        known = {"extractor": extractor.name, "prompts": find_prompts("edct")}
        scores = audited(scenes(tmp_path / "d", size=2), tmp_path / "a", "embedded", **known).scores
    assert (scores.refused, scores.without_concept, len(scores.concepts)) == (2, 2, 0)


@pytest.mark.parametrize(
    ("said", "score"), [(1, 1), (1.0, 1), ("1", 1), (True, 1), ("true", 1), (0, 0), ("0", 0), (False, 0)]
)
def test_scores_are_parsed_from_many_spellings(said, score):
    found = judged(json.dumps({"pcs": said, "ncc": 0}))
    assert (found.pcs, found.ncc, type(found.pcs)) == (score, 0, int)


@pytest.mark.parametrize("said", [2, 0.5, "yes", None, [], -1])
def test_a_reply_without_a_score_is_an_abstention(said):
    assert judged(json.dumps({"pcs": said, "ncc": 0})).path == "abstained"


def test_the_format_of_the_paper_is_read():
    text = (
        "Analysis:\nPrediction Change Score: The answer names the headphones.\nNLE Concept Consistency: It still cites "
        "the stethoscope.\nCounterfactual Consistency Score: One of them is 0.\nFinal Scores:\nPCS: 1\nNCC: [0]\nCCS: 0"
    )
    found = judged(text)
    assert (found.pcs, found.ncc, found.pcs_reason) == (1, 0, "The answer names the headphones.")
    assert judged(text + "\nPCS: 0").path == "abstained", "two answers are none"
    edit = 'Positive Prompt: "Replace the stethoscope with headphones." Negative Prompt: "Stethoscope, doctor, clinic."'
    (one,) = extracted((Attempt(edit),), 1).instructions
    assert (one.positive, one.negative) == ("Replace the stethoscope with headphones.", "Stethoscope, doctor, clinic.")


def test_the_papers_prompts_are_used_unchanged(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(CountersightError, match=r"copy them from the paper's appendix A into paper\.toml"):
        find_prompts("paper")
    (tmp_path / "paper.toml").write_text(PAPER)
    prompts = find_prompts("paper")
    asked = extract_prompt(prompts, Statement("Who is it?", "A doctor", "He has\na coat."), 1)
    assert 'Original Answer: "A doctor" Original Explanation: "He has a coat."' in asked
    named = PAPER.replace("why =", "vqa_explanation_prompt =").replace("judge =", "llm_analysis_prompt =")
    (tmp_path / "paper.toml").write_text(named)
    assert find_prompts("paper") == prompts
    (tmp_path / "paper.toml").write_text(PAPER.replace("{original_explanation}", "…"))
    with pytest.raises(CountersightError, match="original_explanation"):
        find_prompts("paper")
