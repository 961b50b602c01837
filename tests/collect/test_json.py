"""What speaks JSON keeps to its own description, whatever it is sent."""

import time
from urllib.parse import quote

import pytest
import schemathesis
from collecting import Visitor, make_campaign, opened
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from countersight.collect import people
from countersight.collect.web.json_api import PAGES

METHODS = ("GET", "POST", "PUT", "DELETE")


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory):
    folder = make_campaign(tmp_path_factory.mktemp("json") / "campaign", "verify", 2)
    with opened(folder) as (app, campaign):
        for name in ("ada", "ben"):
            Visitor(app, campaign, name).contribute("verify")
        yield app, Visitor(app, campaign, "lea", "lead")


def test_nothing_answers_a_server_error_and_all_keep_to_their_description(place):
    app, lead = place
    described = schemathesis.openapi.from_asgi("/api/openapi.json", app)
    token = lead.campaign.store.write_now(lambda c: people.begin_session(c, lead.id, time.time(), "script"))
    headers = {"Authorization": f"Bearer {token}"}
    operations = [found.ok() for found in described.get_all_operations()]
    described_paths = {operation.path for operation in operations} | {"/api/openapi.json"}
    assert described_paths == {page.path.replace(":row", "") for page in PAGES}
    operations = [operation for operation in operations if operation.method == "get"]
    for operation in operations:

        @settings(max_examples=8, deadline=None, suppress_health_check=list(HealthCheck))
        @given(case=operation.as_strategy())
        def keeps_to_it(case):
            answer = case.call(headers=headers)
            assert answer.status_code in (200, 404)
            case.validate_response(answer)

        keeps_to_it()


@pytest.mark.parametrize("method", METHODS)
@settings(max_examples=30, deadline=None, suppress_health_check=list(HealthCheck))
@given(name=st.text(max_size=30), query=st.text(max_size=30))
def test_any_address_is_answered_without_a_server_error(place, method, name, query):
    _, lead = place
    address = f"/api/{quote(name, safe='')}?{quote(query)}"
    assert lead.client.request(method, address).status_code < 500


def test_leads_read_progress_and_agreement(place):
    _, lead = place
    progress = lead.get("/api/progress").json()
    assert (progress["items"], progress["states"]) == (2, {"done": 1, "open": 1})
    agreement = lead.get("/api/agreement").json()
    assert {named["label"] for named in agreement} == {"about the picture", "verdict"}
    assert agreement[0]["agreement"]["ac1"]["value"] == 1.0
