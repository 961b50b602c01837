"""Numbers and foreign text as they are printed."""


def several(number: int, noun: str) -> str:
    """A number of things: "1 case", "3,000 cases"."""
    return f"{number:,} {noun}" + ("" if number == 1 else "s")


def printable(text: str) -> str:
    """Text from a file or a server, on one line and unable to steer the terminal."""
    return "".join(sign if sign.isprintable() else "\ufffd" for sign in " ".join(text.split()))
