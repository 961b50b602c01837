"""HTML is a type of its own: what comes from data is escaped on the way into it."""

from countersight.html import Markup, element, joined, text

HOSTILE = '<script>alert("1")</script>&'


def test_words_from_data_are_escaped_and_markup_is_not():
    written = element("p", text(HOSTILE), title=HOSTILE)
    assert "<script>" not in written
    assert element("div", written).count("<p") == 1
    assert isinstance(joined([written, written]) + written, Markup)
