"""More hostile programs: they delay their parser, or attack the interpreter."""

BODIES = {
    # what runs the program
    "an int that cannot be written": "return str(7 ** 20_000)[:5] * 0 + str(int('9' * 5000))",
    "a hexadecimal number of 3,572 digits": "return 0x" + "f" * 3572,
    "a generator expression": "return (n for n in [1])",
    "text that steers the terminal": "raise ValueError('\\x1b[2J\\x1b]0;owned\\x07')",
    "text with half a sign": "raise ValueError('\\ud800')",
    # time
    "a loop in a comprehension": "return [0 for _ in range(10 ** 12)]",
    "a loop of numbers out of texts": "while True:\n    coerce_to_numeric('three ' * 300)",
    "a loop in a helper": "def wait():\n    while True:\n        pass\nreturn max([1, 2], key=lambda n: wait())",
    "a search that goes back": "import re\nreturn re.search('(x+x+)+y', 'x' * 40)",
    "a long division": "return (10 ** 90_000) % 7 == 8 or (10 ** 900_000) // 3",
    # memory
    "a dictionary without end": "held = {}\nwhile True:\n    held[len(held)] = 'x' * 100",
    "a padded number": "return f'{1:0{10 ** 10}d}'",
    "a list that is multiplied": "return [[0] * 10 ** 5] * 10 ** 8",
    # tools
    "a patch of a patch of a patch": "part = image\nwhile True:\n    part = ImagePatch(part, 0, 0, 50, 50)",
    "a crop with a huge number": "return image.crop(0x" + "f" * 3572 + ", 0, 1, 1)",
    "a tool as an argument": "return image.find(image.find)",
    "a patch from nowhere": "return ImagePatch('file', 0, 0, 1, 1)",
    "an attribute that is set": "image.left = 5\nreturn image.find(image.left)",
    "too deep for the prelude": "def f(n):\n    return max([n], key=lambda m: f(m + 1))\nreturn f(0)",
}
"""Bodies of execute_command that must fail, each in its own way."""

REPLIES = {
    "a fence and blanks": "```" + " " * 90_000 + "!\nno program",
    "a sort with many keys": "def execute_command(image):\n    x.sort(" + "key " * 1_900 + "\n    return 'yes'",
    "a definition that never comes": "def " * 20_000,
    "blanks before a definition": " " * 90_000 + "def execute_command",
    "each of many": "many " * 18_000 + "each",
}
"""Replies of a code model that hold no program at all, and once took seconds to be found out."""

STEPS = {
    "a hexadecimal number of 3,572 digits": "A=LOC(image=IMAGE, object='dog', n=0x" + "f" * 3572 + ")",
    "a decimal number of 5,000 digits": "A=RESULT(var=" + "9" * 5000 + ")",
    "an exponent": "A=RESULT(var=1e" + "9" * 5000 + ")",
    "open parentheses in an expression": 'A=EVAL(expr="' + "(" * 480 + '")',
    "choices in choices": 'A=EVAL(expr="' + "1 if 1 else " * 40 + '")',
    "an unfinished text": "A=EVAL(expr='1 + 1)\nB=RESULT(var=A)",
    "many backslashes": "A=LOC(image=IMAGE, object='" + "\\" * 7001 + "')",
    "an argument twice, then none": "A=LOC(image=IMAGE, image=IMAGE)",
    "an argument that is a call": "A=COUNT(box=LOC(image=IMAGE, object='dog'))",
    "signs of another script": "A=LOC(image=IMAGE, object=\u201cdog\u201d)",
    "everything against everything": "A=LOC(image=IMAGE, object='dog')\n"
    + "\n".join(f"B{n}=INSIDE(box=A, of=A)" for n in range(70)),
}
"""Step programs that must fail, each in its own way."""
