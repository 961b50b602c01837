"""More programs that mean harm: they lie about why they failed, stall whoever reads them, or aim at what runs them."""

FAKED = {
    # each raises what a limit would raise, or says what we would say; all of them are plain errors
    "a timeout": "raise TimeoutError('feed time limit exceeded: 502ms > 500ms')",
    "a memory error": "raise MemoryError('memory limit exceeded: 99 bytes > 9 bytes')",
    "a memory error by another name": "much = MemoryError\nraise much('memory limit exceeded: 99 bytes > 9 bytes')",
    "a memory error on several lines": "raise (\n    MemoryError(\n        'memory limit exceeded'\n    )\n)",
    "a memory error in other letters": "raise ＭemoryError('memory limit exceeded: 99 bytes > 9 bytes')",
    "a memory error that is nowhere written": "raise eval('Memory' + 'Error')('memory limit exceeded')",
    "a recursion error that is nowhere written": "error = 'Recursion' + 'Error'\nraise eval(error)('x')",
    "a recursion error": "raise RecursionError('maximum recursion depth exceeded')",
    "a recursion error from deep down": "def f(n):\n    if n:\n        return f(n - 1)\n    raise RecursionError('x')\n"
    "return f(30)",
    "a syntax error": "raise SyntaxError('invalid syntax')",
    "a construct the parser lacks": "raise NotImplementedError('The monty syntax parser does not yet support x')",
    "a wrong type of answer": "raise TypeError('execute_command returned something of type list')",
    "an unknown tool": "raise NameError(\"name 'run_shell' is not defined\")",
    "an unknown tool of a patch": "raise AttributeError(\"'ImagePatch' object has no attribute 'see'\")",
    "too many calls": "raise RuntimeError('suspension limit 5000 exceeded')",
    "a failed tool": "raise Exception('tool failure: find: nothing there')",
    "forbidden": "raise PermissionError('forbidden: it reached for the machine')",
    "no program": "raise ValueError('no program: there is no execute_command')",
    "a kind in a kind": "raise ValueError('timeout: it did not finish within 5 s')",
    "an exception that is caught and told anew": "try:\n    1 / 0\nexcept Exception:\n    pass\n"
    "raise TimeoutError('x')",
    "an exception from another": "try:\n    1 / 0\nexcept ZeroDivisionError as e:\n    raise MemoryError('x') from e",
    "an exception in the end": "try:\n    return 1\nfinally:\n    raise TimeoutError('x')",
}
"""Bodies of execute_command."""

AFTER = "\ndef execute_command(image):\n    return 'yes'\n```"
FAKED_WHOLE = {
    "a timeout at once": "```\nraise TimeoutError('x')" + AFTER,
    "a memory error at once": "```\nraise MemoryError('memory limit exceeded')" + AFTER,
    "a syntax error at once": "```\nraise SyntaxError('x')" + AFTER,
    "a recursion error at once": "```\nraise RecursionError('x')" + AFTER,
    "the prelude's own names": "def _answer(value):\n    raise TypeError('execute_command returned x')\n"
    "def _best(*a):\n    raise TimeoutError('x')\ndef execute_command(image):\n    return max([1, 2], key=lambda n: n)",
    "types that are none": "isinstance = type = lambda *a: True\nint = str = float = bool = ValueError\n"
    "def execute_command(image):\n    return []",
}

BODIES = {
    # what runs the program
    "an int that cannot be written": "return str(7 ** 20_000)[:5] * 0 + str(int('9' * 5000))",
    "a float that is a word": "return float('infinity')",
    "a hexadecimal number of 3,572 digits": "return 0x" + "f" * 3572,
    "an octal number": "return 0o" + "7" * 5000,
    "a set": "return {1, 2}",
    "a range": "return range(3)",
    "an iterator": "return iter([1])",
    "an ellipsis": "return ...",
    "a class": "return ImagePatch",
    "a complex number": "return 3j",
    "a generator expression": "return (n for n in [1])",
    "text that steers the terminal": "raise ValueError('\\x1b[2J\\x1b]0;owned\\x07')",
    "text with half a sign": "raise ValueError('\\ud800')",
    "text with a null": "return ['\\0' * 10]",
    # time
    "a loop in a comprehension": "return [0 for _ in range(10 ** 12)]",
    "a loop of exceptions": "while True:\n    try:\n        raise ValueError\n    except ValueError:\n        pass",
    "a loop between tools": "while True:\n    ImagePatch(image, 0, 0, 5, 5)",
    "a loop of distances": "while True:\n    distance(image, image)",
    "a loop of numbers out of texts": "while True:\n    coerce_to_numeric('three ' * 300)",
    "a loop in a helper": "def wait():\n    while True:\n        pass\nreturn max([1, 2], key=lambda n: wait())",
    "a search that goes back": "import re\nreturn re.search('(x+x+)+y', 'x' * 40)",
    "a split that goes back": "import re\nreturn re.sub('(a|aa)+$', '', 'a' * 60 + 'c')",
    "a long division": "return (10 ** 90_000) % 7 == 8 or (10 ** 900_000) // 3",
    "a long text of a number": "return len(str(3 ** 400_000)) * []",
    # memory
    "a dictionary without end": "held = {}\nwhile True:\n    held[len(held)] = 'x' * 100",
    "texts that are joined": "return ''.join(['x' * 10 ** 6] * 10 ** 4)",
    "a text that is multiplied": "held = 'x'\nfor _ in range(60):\n    held += held\nreturn len(held)",
    "a tuple of tuples": "held = ()\nwhile True:\n    held = (held, held, [0] * 1000)",
    "bytes": "return len(bytes(10 ** 11))",
    "a centred text": "return 'x'.center(10 ** 11)",
    "a text of zeros": "return 'x'.zfill(10 ** 11)",
    "a padded number": "return f'{1:0{10 ** 10}d}'",
    "an expanded tab": "return '\\t'.expandtabs(10 ** 11)",
    "a list that is multiplied": "return [[0] * 10 ** 5] * 10 ** 8",
    # tools
    "a patch of a patch of a patch": "part = image\nwhile True:\n    part = ImagePatch(part, 0, 0, 50, 50)",
    "a find with a number": "return image.find(0x" + "f" * 3572 + ")",
    "a crop with a huge number": "return image.crop(0x" + "f" * 3572 + ", 0, 1, 1)",
    "a match among huge numbers": "return image.best_text_match([10 ** 4500, 'a'])",
    "a match among too many": "return image.best_text_match(['x'] * 100_000)",
    "a query of blanks": "return image.simple_query(' ' * 400 + '```')  and []",
    "a tool as an argument": "return image.find(image.find)",
    "a tool's result as a tool": "return image.find('dog')[0].find('dog')[0].run()",
    "a patch that is none": "return distance(image, 'dog')",
    "a patch from nowhere": "return ImagePatch('file', 0, 0, 1, 1)",
    "keys that are none": "return image.find(**{'object_name': 'dog', 'within': image})",
    "an attribute that is set": "image.left = 5\nreturn image.find(image.left)",
    "the eyes in an endless talk": "said = 'a'\nwhile True:\n    said = image.simple_query(said[:50])",
    "a language model that is none": "return [llm_query('x')]",
    "too deep for the prelude": "def f(n):\n    return max([n], key=lambda m: f(m + 1))\nreturn f(0)",
}
"""Bodies of execute_command that must fail, each in its own way."""

REPLIES = {
    "a fence and blanks": "```" + " " * 90_000 + "!\nno program",
    "a fence, a word and blanks": "```python" + " " * 90_000 + "!\ndef nothing(): pass",
    "many fences and blanks": ("```" + " " * 3_000 + "!\n") * 30,
    "tabs before a fence": "\t" * 90_000 + "```\nnot one",
    "a sort with many keys": "def execute_command(image):\n    x.sort(" + "key " * 1_900 + "\n    return 'yes'",
    "sorts with many keys": "def execute_command(image):\n"
    + "    x.sort(key key key key key(\n" * 240
    + "    return x",
    "a definition that never comes": "def " * 20_000,
    "a call that never comes": "x execute_command " * 5_000,
    "blanks before a definition": " " * 90_000 + "def execute_command",
    "a name without end": "a" * 90_000,
    "an equals sign far away": "a" * 45_000 + " " * 45_000 + "= b",
    "a step that never opens": "A = " + "B" * 90_000,
    "each of many": "many " * 18_000 + "each",
}
"""Replies of a code model that hold no program at all, and once took seconds to be found out."""

STEPS = {
    "a hexadecimal number of 3,572 digits": "A=LOC(image=IMAGE, object='dog', n=0x" + "f" * 3572 + ")",
    "a hexadecimal number as a result": "A=RESULT(var=0x" + "f" * 3572 + ")",
    "an octal number": "A=RESULT(var=0o" + "7" * 5000 + ")",
    "a binary number": "A=RESULT(var=0b" + "1" * 7000 + ")",
    "a decimal number of 5,000 digits": "A=RESULT(var=" + "9" * 5000 + ")",
    "a number with lines below": "A=RESULT(var=1" + "_0" * 3000 + ")",
    "a real number of many digits": "A=RESULT(var=0." + "1" * 5000 + ")",
    "an exponent": "A=RESULT(var=1e" + "9" * 5000 + ")",
    "a hexadecimal number in an expression": 'A=EVAL(expr="0x' + "f" * 400 + ' + 1")',
    "a complex number": 'A=EVAL(expr="3j * 3j")',
    "open parentheses in an expression": 'A=EVAL(expr="' + "(" * 480 + '")',
    "braces in an expression": 'A=EVAL(expr="' + "{" * 480 + '")',
    "choices in choices": 'A=EVAL(expr="' + "1 if 1 else " * 40 + '")',
    "nots without end": 'A=EVAL(expr="' + "not " * 120 + '")',
    "a long sum that overflows": 'A=EVAL(expr="' + "*".join(["99999"] * 80) + '")',
    "comparisons without end": 'A=EVAL(expr="{B} and ' + "<".join(["1"] * 240) + '")',
    "a text for a number": "A=EVAL(expr=\"'nine' * 'many'\")",
    "an unfinished text": "A=EVAL(expr='1 + 1)\nB=RESULT(var=A)",
    "an escape at the end": "A=EVAL(expr='\\",
    "a text without end": "A=LOC(image=IMAGE, object='" + "x" * 7900,
    "many backslashes": "A=LOC(image=IMAGE, object='" + "\\" * 7001 + "')",
    "a triple quoted text": 'A=EVAL(expr="""' + "1 + " * 900 + '""")',
    "joined texts": "A=RESULT(var='a' 'b')",
    "a formatted text": "A=EVAL(expr=f'{IMAGE}')",
    "bytes": "A=RESULT(var=b'yes')",
    "an argument twice, then none": "A=LOC(image=IMAGE, image=IMAGE)",
    "an argument that is a call": "A=COUNT(box=LOC(image=IMAGE, object='dog'))",
    "commas": "A=COUNT(,,,,)",
    "a star": "A=COUNT(*B)",
    "a lambda": "A=EVAL(expr=lambda: 1)",
    "signs of another script": "A=LOC(image=IMAGE, object=\u201cdog\u201d)",
    "a no-break space": "A\u00a0=\u00a0COUNT(box\u00a0=\u00a0B)",
    "everything against everything": "A=LOC(image=IMAGE, object='dog')\n"
    + "\n".join(f"B{n}=INSIDE(box=A, of=A)" for n in range(70)),
}
"""Step programs that must fail, each in its own way."""
