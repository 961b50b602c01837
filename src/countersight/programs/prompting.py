"""Prompts of code models; words and examples are our own."""

from countersight.models import Request

PYTHON = '''\
You write a short Python program that answers a question about a picture. You do not see the picture: the program \
looks at it with the tools below. Reply with the program only, in one code block. It defines execute_command(image) \
and returns the answer. It may use plain Python but no files, no network and no imports other than math and re. \
Generators (yield) and classes of its own cannot be used.

The tools:

class ImagePatch:
    """A part of the picture. ImagePatch(image) is all of it; ImagePatch(image, left, lower, right, upper) a part.

    left, right, lower, upper: its borders in pixels. Heights grow upwards: upper is larger than lower.
    width, height, horizontal_center, vertical_center: what follows from them.
    category: what it was found as.
    """
    def find(self, object_name: str) -> list[ImagePatch]: "every such object in this part"
    def exists(self, object_name: str) -> bool: "whether there is any"
    def verify_property(self, object_name: str, visual_property: str) -> bool: "whether the object here is like that"
    def simple_query(self, question: str) -> str: "a short answer to a plain question about what is seen here"
    def best_text_match(self, option_list: list[str]) -> str: "the text that fits this part best"
    def crop(self, left, lower, right, upper) -> ImagePatch: "a part of this part"
    def compute_depth(self) -> float: "how far away it is; there may be no tool for that"
    def overlaps(self, other: ImagePatch) -> bool: "whether two parts share any area"
    def overlaps_with(self, left, lower, right, upper) -> bool: "the same for a part with these borders"
    def inside(self, other: ImagePatch) -> bool: "whether this lies in the other, or in one of a list of others"

def best_image_match(list_patches, content: list[str], return_index=False): "the patch that shows the content best"
def distance(patch_a, patch_b) -> float: "pixels between two parts; negative where they overlap"
def llm_query(question: str) -> str: "a short answer out of general knowledge, without the picture"
def coerce_to_numeric(text: str) -> float: "the number that a text says"
def bool_to_yesno(value: bool) -> str: "yes or no"

The tools see only what the picture shows. What the question supposes with an "if" is not in the picture: find what is \
there, then work out in the program what the supposition makes of it.

Question: How many mugs would hang on the wall if two more were hung up?
```python
def execute_command(image):
    image_patch = ImagePatch(image)
    mugs = image_patch.find("mug")
    return len(mugs) + 2
```

Question: Would the bench be empty if the man stood up?
```python
def execute_command(image):
    image_patch = ImagePatch(image)
    bench = image_patch.find("bench")[0]
    sitting = [person for person in image_patch.find("person") if person.overlaps(bench)]
    return bool_to_yesno(len(sitting) - 1 <= 0)
```

Question: How many boats would be on the lake if the leftmost one sailed away and half of the rest followed?
```python
def execute_command(image):
    image_patch = ImagePatch(image)
    boats = sorted(image_patch.find("boat"), key=lambda boat: boat.left)
    return len(boats[1:]) // 2
```

Question: What colour is the kite above the tent?
```python
def execute_command(image):
    image_patch = ImagePatch(image)
    tent = image_patch.find("tent")[0]
    kites = [kite for kite in image_patch.find("kite") if kite.vertical_center > tent.vertical_center]
    return kites[0].simple_query("What colour is the kite?")
```

Question: Would the candle be burning if the window was opened and the wind came in?
```python
def execute_command(image):
    image_patch = ImagePatch(image)
    burning = image_patch.verify_property("candle", "burning")
    goes_out = llm_query("Does a candle in the wind go out? Answer yes or no.") == "yes"
    return bool_to_yesno(burning and not goes_out)
```

Question: {question}
'''

STEPS = """\
You write a short program of steps that answers a question about a picture. You do not see the picture: the program \
looks at it with the operations below. Reply with the steps only, one a line, in one code block. Each has the form \
NAME=OPERATION(name=value, …): the name is new, a value is the name of an earlier result, a text in quotes or a \
number. IMAGE is the picture; the last step is RESULT.

LOC(image=, object='…')            every such object, as boxes; 'TOP', 'BOTTOM', 'LEFT', 'RIGHT': that half
COUNT(box=)                        how many boxes there are
VQA(image=, question='…')          a short answer to a plain question about what is seen
EVAL(expr="…")                     arithmetic, comparison, and `a if b else c`; {{NAME}} is an earlier result
CROP(image=, box=)                 the part of the picture in the first box
CROP_LEFTOF, CROP_RIGHTOF, CROP_ABOVE, CROP_BELOW(image=, box=)   the part on that side of the first box
CROP_FRONTOF, CROP_INFRONTOF, CROP_INFRONT, CROP_BEHIND, CROP_AHEAD(image=, box=)   the first box and what is around it
INSIDE(box=, of=), OUTSIDE(box=, of=)   those boxes that lie in one of the others, or in none of them
WITHOUT(box=, of=)                 the boxes without the others
TOPMOST, BOTTOMMOST, LEFTMOST, RIGHTMOST(box=, n=)   the n boxes farthest to that side
TOP_ROW(box=)                      the boxes that stand in one row with the topmost
FULLEST(box=, of=)                 the box with the most of the others in it
RESULT(var=)                       the answer

The operations see only what the picture shows. What the question supposes with an "if" is not in the picture: find \
what is there, then work out with EVAL what the supposition makes of it.

Question: How many mugs would hang on the wall if two more were hung up?
```
MUGS=LOC(image=IMAGE, object='mug')
NUMBER=COUNT(box=MUGS)
ANSWER=EVAL(expr="{{NUMBER}} + 2")
FINAL_RESULT=RESULT(var=ANSWER)
```

Question: Would there be a dog on the sofa if the cat chased it away?
```
DOGS=LOC(image=IMAGE, object='dog')
NUMBER=COUNT(box=DOGS)
ANSWER=EVAL(expr="'yes' if {{NUMBER}} - 1 > 0 else 'no'")
FINAL_RESULT=RESULT(var=ANSWER)
```

Question: How many boats would be on the lake if the two leftmost ones sailed away?
```
BOATS=LOC(image=IMAGE, object='boat')
GONE=LEFTMOST(box=BOATS, n=2)
LEFT=WITHOUT(box=BOATS, of=GONE)
ANSWER=COUNT(box=LEFT)
FINAL_RESULT=RESULT(var=ANSWER)
```

Question: What colour is the kite above the tent?
```
TENTS=LOC(image=IMAGE, object='tent')
SKY=CROP_ABOVE(image=IMAGE, box=TENTS)
ANSWER=VQA(image=SKY, question='What colour is the kite?')
FINAL_RESULT=RESULT(var=ANSWER)
```

Question: {question}
"""

LONGEST_QUESTION = 4_000


def asked_for(template: str, request: Request) -> str:
    """Return the prompt for a question; options are given by text, not by letter."""
    question = " ".join(request.question.split())[:LONGEST_QUESTION]
    if request.kind == "choice":
        options = "; ".join(option.text for option in request.options)
        question += f" (The answer is one of these: {options})"
    elif request.kind == "boolean":
        question += " (The answer is yes or no.)"
    elif request.kind == "number":
        question += " (The answer is a number.)"
    return template.format(question=question)
