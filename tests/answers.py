"""What simulated people write: a form in order for every phase of every flow."""

ANSWERS: dict[str, dict[str, str]] = {
    "cosim/question": {
        "left": "10", "top": "10", "width": "30", "height": "30", "object": "circle",
        "question": "Would it be easy to count the dots?", "answer": "Yes",
        "justification": "because there are only a few in each circle",
    },
    "cosim/change": {
        "guide": "flip", "change": "Add a hundred dots to every circle.",
        "response": "No, because there are a hundred dots in every circle now.",
    },
    "cosim/distractor": {
        "response": "No, because there are a hundred dots in every circle now.",
        "distractor_1": "Yes, because all the dots were taken out of the circles.",
        "distractor_2": "No, because the circles lie on top of each other now.",
        "distractor_3": "Yes, because every dot has a number written on it now.",
    },
    "cfmm/write": {
        "aspect": "count", "basic": "How many circles are there?",
        "counterfactual": "If one circle were taken away, how many circles would be left?",
        "option_a": "five", "option_b": "six", "basic_answer": "B", "counterfactual_answer": "A",
    },
    "cfmm/blind": {"basic_answer": "B", "counterfactual_answer": "A"},
    "cvqa/write": {
        "question": "How many dots would there be if somebody wiped the board?", "answer": "0",
    },
    "cvqa/verify": {"related": "yes", "right": "yes", "factual_right": "yes"},
    "cvqa/adjudicate": {"related": "yes", "right": "yes", "factual_right": "yes"},
    "verify/verify": {"related": "yes", "right": "yes", "factual_right": "yes"},
    "verify/adjudicate": {"related": "yes", "right": "yes", "factual_right": "yes"},
    "answer/answer": {"answer": "B"},
    "judge/judge": {"pcs": "1", "ncc": "0", "pcs_reason": "it follows"},
}  # fmt: skip
"""A form that is in order, for every phase of every flow."""


def answer_to(flow: str, phase: str, turn: int, picture: str) -> dict[str, str]:
    """A form in order for the task at hand; one in five says something else, so that people disagree."""
    fields = dict(ANSWERS[f"{flow}/{phase}"])
    if phase == "question":
        fields["picture"] = picture
    if phase == "write" and flow == "cfmm":
        fields["aspect"] = ("count", "color", "shape", "size", "direction", "common")[turn % 6]
    if turn % 5 == 0:
        fields |= _OTHERWISE.get(phase, {})
    return fields


_OTHERWISE = {
    "verify": {"related": "no", "words": "not in the picture"},
    "blind": {"basic_answer": "A"},
    "answer": {"answer": "A"},
    "judge": {"pcs": "0"},
}
