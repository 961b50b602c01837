"""The answer in a model's reply, or in the several that it gave to one question in several orders."""

from collections import Counter
from collections.abc import Sequence

from msgspec.structs import replace

from countersight.case import LETTERS, Order, Question, Reply
from countersight.reading.answers import ReadFrom, answer_in


def read_reply(reply: Reply, question: Question, read_from: ReadFrom = "whole") -> str | None:
    """The answer in what a model said to a question, over all orders of the options where they were asked in many."""
    if reply.orders:
        return combined(reply.orders, question, read_from)
    return answer_in(reply.text, question, read_from, finished=not reply.is_cut)


def combined(orders: Sequence[Order], question: Question, read_from: ReadFrom = "whole") -> str | None:
    """The letter, as the question has it, of the option chosen most often; None where none is, or two are alike."""
    votes: Counter[int] = Counter()
    for order in orders:
        if sorted(order.places) != list(range(len(question.options))):
            continue  # an order of other options than these
        options = tuple(question.options[place] for place in order.places)
        letter = answer_in(order.text, replace(question, options=options), read_from)
        if letter is not None:
            votes[order.places[LETTERS.index(letter)]] += 1
    best = votes.most_common(2)
    if not best or (len(best) == 2 and best[0][1] == best[1][1]):
        return None
    return LETTERS[best[0][0]]
