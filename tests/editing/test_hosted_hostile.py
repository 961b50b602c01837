"""Whatever JSON a service answers with, an edit is a picture or a failed edit."""

import json

import pytest
from aiohttp import web
from editing.hosting import CHANGE, FIRST, FLUX, PICTURE, SERVICES, edits
from editing.servers import PictureServer, data_url, tiny
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from countersight.editing.protocol import Edited, EditRequest
from countersight.errors import AskingFailed

KEYS = (
    *("choices", "message", "images", "image_url", "url", "content"),
    *("text", "finish_reason", "refusal", "error", "code"),
    *("usage", "cost", "polling_url", "id", "status", "result", "sample", "details", "Moderation Reasons"),
)
leaves = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(-(10**20), 10**20),
    st.floats(allow_nan=False, allow_infinity=False),
    st.text(max_size=8),
    st.sampled_from(["Ready", "Error", "Content Moderated", "STOP", "SAFETY", "content_filter", "file:///etc/passwd"]),
    st.sampled_from([data_url(tiny()), data_url(tiny()).partition(",")[2], "data:,", "data:image/png;base64,="]),
)
answers = st.recursive(
    leaves,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(KEYS), inner, max_size=4),
    max_leaves=12,
)
objects = st.dictionaries(st.sampled_from(KEYS), answers, max_size=5)


@pytest.mark.parametrize("name", SERVICES)
@settings(max_examples=4, suppress_health_check=[HealthCheck.too_slow, HealthCheck.function_scoped_fixture])
@given(bodies=st.lists(answers | objects, min_size=40, max_size=40))
def test_any_response_gives_a_picture_or_a_failed_edit(at, name, bodies):
    place = "look" if name == FLUX else FIRST[name]
    faults = [lambda server, body=body: web.Response(text=json.dumps(body)) for body in bodies]
    with PictureServer(**{place: [*faults, None]}) as server:
        at(server)
        made = edits(name, *[EditRequest(PICTURE, CHANGE)] * len(bodies))
    assert all(isinstance(one, Edited | AskingFailed) for one in made), made
