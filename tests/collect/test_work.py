"""Leases, drafts, versions, undo, flags: on SQLite and on PostgreSQL."""

import re
import threading
import time
from collections import Counter
from pathlib import Path
from random import Random

import pytest
from collecting import ANSWERS, make_campaign, setting, states
from making import dataset
from sqlalchemy import select
from sqlalchemy.exc import IntegrityError

from countersight.collect import pay, people, tables, work
from countersight.collect.campaign import Campaign
from countersight.collect.figures import group_counts
from countersight.collect.flows import Form

NOW = 1_800_000_000.0


class Desk:
    """A campaign without its pages: people who take items and send forms at a given time."""

    def __init__(self, folder: Path, flow: str, database: str | None, number: int = 3) -> None:
        make_campaign(folder, flow, number, database)
        self.campaign = Campaign.open(folder, database)
        self.store, self.settings = self.campaign.store, self.campaign.settings

    def person(self, name: str) -> int:
        return self.store.write_now(lambda c: people.add_person(c, name, "worker", NOW))

    def claim(self, person: int, phase: str, now: float = NOW):
        return self.store.write_now(lambda c: work.claim(c, self.campaign, person, phase, now, Random(1)))

    def send(self, lease, now: float = NOW, **changes: str):
        item = self.store.read(lambda c: work.load_item(c, lease.item_id))
        form = Form(ANSWERS[f"{self.campaign.flow.name}/{lease.phase}"] | changes)
        content = self.campaign.flow.read(lease.phase, form, item, {})
        assert form.faults == {}
        return self.store.write_now(lambda c: work.submit(c, self.campaign, lease, content, now, 30.0))

    def undo(self, number: int, person: int, now: float):
        return self.store.write_now(lambda c: work.undo(c, self.campaign, number, person, now))

    def rows(self, table):
        return self.store.read(lambda c: c.execute(select(table).order_by(table.c.id)).all())


@pytest.fixture
def desk(tmp_path: Path, database: str | None):
    desk = Desk(tmp_path / "campaign", "verify", database)
    yield desk
    desk.campaign.close()


def test_two_people_share_an_item_and_a_third_does_not(desk: Desk):
    ada, ben, cleo = map(desk.person, ("ada", "ben", "cleo"))
    first, second, third, again = (desk.claim(person, "verify") for person in (ada, ben, cleo, ada))
    assert first.item_id == second.item_id != third.item_id
    assert again.token == first.token  # whoever asks again gets the item they have


def test_a_lease_ends_by_itself_and_frees_its_seat(desk: Desk):
    ada, ben, cleo = map(desk.person, ("ada", "ben", "cleo"))
    first = desk.claim(ada, "verify")
    desk.claim(ben, "verify")
    later = NOW + desk.settings.lease_minutes * 60 + 1
    assert desk.claim(cleo, "verify", later).item_id == first.item_id


def test_typing_keeps_a_lease(desk: Desk):
    ada, cleo = map(desk.person, ("ada", "cleo"))
    lease = desk.claim(ada, "verify")
    minutes = desk.settings.lease_minutes * 60
    desk.store.write_now(lambda c: work.save_draft(c, desk.campaign, lease, {"words": "so"}, NOW + minutes - 1))
    desk.claim(cleo, "verify", NOW + minutes + 1)
    held = desk.store.read(lambda c: work.lease_by_token(c, lease.token, ada))
    assert (held.state, held.draft) == ("active", {"words": "so"})


def test_whoever_comes_back_late_gets_the_item_with_their_draft(desk: Desk):
    ada = desk.person("ada")
    desk.send(desk.claim(ada, "verify"))
    lease = desk.claim(ada, "verify")
    desk.store.write_now(lambda c: work.save_draft(c, desk.campaign, lease, {"words": "so"}, NOW))
    late = NOW + desk.settings.lease_minutes * 60 + 1
    assert desk.claim(ada, "verify", late).draft == {"words": "so"}


def test_whoever_was_slow_may_still_send_while_the_seat_is_free(desk: Desk):
    ada = desk.person("ada")
    lease = desk.claim(ada, "verify")
    late = NOW + desk.settings.lease_minutes * 60 + 1
    desk.store.write_now(lambda c: work.free_expired(c, desk.campaign, late))
    assert desk.send(lease, late).contribution_id


def test_whoever_was_too_slow_is_told_and_nothing_is_doubled(desk: Desk):
    ada, ben, cleo = map(desk.person, ("ada", "ben", "cleo"))
    lease = desk.claim(ada, "verify")
    late = NOW + desk.settings.lease_minutes * 60 + 1
    for other in (ben, cleo):
        desk.send(desk.claim(other, "verify", late), late)
    with pytest.raises(work.TakenError):
        desk.send(lease, late)
    assert len(desk.rows(tables.contribution)) == 2


def test_a_form_sent_twice_counts_once(desk: Desk):
    ada = desk.person("ada")
    lease = desk.claim(ada, "verify")
    first, second = desk.send(lease), desk.send(lease, related="no", words="otherwise")
    assert (first.contribution_id, second.same) == (second.contribution_id, False)
    assert len(desk.rows(tables.contribution)) == 1
    assert len(desk.rows(tables.payment)) == 1


def test_the_database_itself_refuses_two_parts_of_one_person(desk: Desk):
    ada = desk.person("ada")
    lease = desk.claim(ada, "verify")
    row = {"item_id": lease.item_id, "person_id": ada, "phase": "adjudicate", "state": "active"}
    with pytest.raises(IntegrityError):
        desk.store.write_now(
            lambda c: c.execute(tables.lease.insert().values(token="other", claimed_at=0, expires_at=0, **row))
        )


def test_undo_is_a_new_version_within_the_hour_and_takes_the_pay_back(desk: Desk):
    ada, ben = map(desk.person, ("ada", "ben"))
    sent = desk.send(desk.claim(ada, "verify"))
    assert desk.undo(sent.contribution_id, ada, NOW + 3601) is None
    assert desk.undo(sent.contribution_id, ben, NOW) is None  # nobody takes back the work of others
    lease = desk.undo(sent.contribution_id, ada, NOW + 60)
    again = desk.send(lease, NOW + 90, related="no", words="not this picture")
    assert [row.version for row in desk.rows(tables.contribution)] == [1, 2, 3]
    assert [row.content is None for row in desk.rows(tables.contribution)] == [False, True, False]
    assert again.contribution_id == 3
    assert [row.state for row in desk.rows(tables.payment)] == ["voided", "accrued"]


def test_undo_is_too_late_once_somebody_works_on_it(desk: Desk):
    ada, ben, cleo = map(desk.person, ("ada", "ben", "cleo"))
    desk.send(desk.claim(ada, "verify"))
    sent = desk.send(desk.claim(ben, "verify"), related="no", words="not this picture")
    assert desk.claim(cleo, "adjudicate") is not None
    assert desk.undo(sent.contribution_id, ben, NOW + 5) is None


def test_what_is_being_paid_is_not_taken_back_to_be_paid_again(desk: Desk):
    ada, lea = map(desk.person, ("ada", "lea"))
    sent = desk.send(desk.claim(ada, "verify"))
    desk.store.write_now(lambda c: (pay.approve(c, ada, lea, NOW), pay.export_batch(c, lea, NOW)))
    assert desk.undo(sent.contribution_id, ada, NOW + 5) is None
    assert desk.store.read(pay.balances) == {"exported": 10}


def test_an_adjudicator_sees_both_in_an_order_that_says_nothing(desk: Desk):
    flow, orders = desk.campaign.flow, Counter()
    ada, ben = map(desk.person, ("ada", "ben"))
    desk.send(desk.claim(ada, "verify"))
    sent = desk.claim(ben, "verify")
    assert desk.store.read(lambda c: work.load_past(c, flow, sent.item_id, "verify")) == {}  # verifiers are blind
    desk.send(sent, related="no", words="otherwise")
    for seed in range(40):
        past = desk.store.read(lambda c, s=str(seed): work.load_past(c, flow, sent.item_id, "adjudicate", s))
        orders[past["verify"][0].verdict] += 1
    assert min(orders["keep"], orders["reject"]) > 8


def test_a_hundred_claims_at_once_never_share_a_seat(tmp_path: Path, database: str | None):
    desk = Desk(tmp_path / "campaign", "verify", database, 40)
    names = [desk.person(f"worker {number}") for number in range(60)]
    found = []
    threads = [threading.Thread(target=lambda p=p: found.append(desk.claim(p, "verify"))) for p in names]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    seats = Counter(lease.item_id for lease in found)
    desk.campaign.close()
    assert len(found) == 60
    assert max(seats.values()) == 2


def test_a_second_process_waits_its_turn(tmp_path: Path, database: str | None):
    make_campaign(tmp_path / "campaign", "verify", 2, database)
    one, other = (Campaign.open(tmp_path / "campaign", database) for _ in range(2))
    entered = threading.Event()

    def slowly(connection):
        people.add_person(connection, "slow", "worker", NOW)
        entered.set()
        time.sleep(0.3)

    thread = threading.Thread(target=lambda: one.store.write_now(slowly))
    thread.start()
    entered.wait()
    other.store.write_now(lambda c: people.add_person(c, "quick", "worker", NOW))
    thread.join()
    names = other.store.read(people.everybody)
    for campaign in (one, other):
        campaign.close()
    assert [person.name for person in names] == ["slow", "quick"]


def test_known_items_are_mixed_in_marked_and_kept_out_of_the_export(tmp_path: Path, opening):
    known = dataset(tmp_path / "known", 2)
    make_campaign(tmp_path / "campaign", "verify", 3, gold=known)
    setting(tmp_path / "campaign", "gold_share = 0.05", "gold_share = 0.999999999")
    enter, campaign = opening()
    ada = enter("ada")
    for name, answer in (("ben", "B"), ("cleo", "C")):  # the second item shows A, and B is right
        corrector = enter(name)
        corrector.contribute("verify")
        corrector.contribute("verify", right="no", answer=answer)
    assert "2 available" in ada.get("/work").text
    for _ in range(2):  # keeping the second is careless
        task = ada.begin("verify")
        assert "1 available" in ada.get("/work").text  # as after any other
        assert "known" not in ada.get(task).text.partition("<main")[2]
        assert "sent=" in ada.post(task, **ANSWERS["verify/verify"]).headers["location"]  # as after any other
    assert ada.get("/mine").text.count('action="/undo/') == 2
    undone = ada.post(re.search(r"/undo/\d+", ada.get("/mine").text).group()).headers["location"]
    ada.post(undone, **ANSWERS["verify/verify"])
    assert states(campaign) == ["open", "open", "open", "check", "check"]
    lead = enter("lea", "lead")
    assert re.findall(r"\d / \d", lead.get("/lead/people").text) == ["1 / 2", "2 / 2", "1 / 2", "0 / 0"]


def test_a_flag_takes_an_item_out_until_a_reviewer_decides(opening):
    enter, campaign = opening("cosim", 2)
    ada, ben, cleo = map(enter, ("ada", "ben", "cleo"))
    for _ in range(2):
        ada.contribute("question")
    for _ in range(2):
        task = ben.begin("change")
        flagged = ben.post(f"{task}/flag", flag_reason="unclear", flag_words="I cannot follow the question")
        assert flagged.status_code == 303
    assert states(campaign) == ["flagged", "flagged"]
    assert cleo.begin("change") is None
    rita = enter("rita", "reviewer")
    assert "I cannot follow" in rita.get("/review/1").text
    assert rita.post("/review/1", outcome="fair").status_code == 422  # a decision has a reason
    rita.post("/review/1", outcome="fair", note="it makes no sense")
    rita.post("/review/2", outcome="unfair", note="it is clear enough")
    assert states(campaign) == ["removed", "open"]
    balances = campaign.store.read(lambda c: pay.balances(c, ada.id))
    assert balances == {"voided": 37, "accrued": 37}
    assert ben.begin("change") is None  # whoever flagged it does not get it again
    assert cleo.begin("change") is not None


def test_nobody_takes_back_what_a_reviewer_removed_and_what_left_to_be_paid_stays_in_its_file(opening):
    enter, campaign = opening("cosim", 1)
    ada, ben = map(enter, ("ada", "ben"))
    ada.contribute("question")
    assert 'action="/undo/1"' in ada.get("/mine").text
    ben.post(f"{ben.begin('change')}/flag", flag_reason="wrong", flag_words="this is quite wrong")
    assert 'action="/undo/1"' not in ada.get("/mine").text + ada.get("/work?sent=1").text
    lead = enter("lea", "lead")
    for path in (f"approve/{ada.id}", "export"):
        lead.post(f"/lead/pay/{path}")
    lead.post("/review/1", outcome="fair", note="it makes no sense")
    answer = ada.post("/undo/1")
    assert (answer.status_code, states(campaign)) == (409, ["removed"])
    assert "It is too late to take this back" in answer.text
    assert campaign.store.read(pay.balances) == {"exported": 37}


def test_an_edit_of_the_right_response_waits_for_a_reviewer_who_sees_both(opening):
    enter, campaign = opening("cosim", 1)
    enter("ada").contribute("question")
    enter("ben").contribute("change")
    cleo, dan = enter("cleo"), enter("dan")
    rita, lead = enter("rita", "reviewer"), enter("lea", "lead")
    edited = "No, because there are a <i>dozen</i> dots in every circle now."
    cleo.contribute("distractor", response=edited)
    assert states(campaign) == ["flagged"]
    assert (
        "&lt;i&gt;dozen" in cleo.get(cleo.post("/undo/3").headers["location"]).text
    )  # all that was sent is there again
    assert "Nothing is waiting for you" in rita.get("/review").text
    cleo.contribute("distractor", response=edited)
    for page in (rita.get("/review/2").text, lead.get("/lead/items/1").text):
        assert "a hundred dots in every circle now.</p>" in page
        assert "a &lt;i&gt;dozen&lt;/i&gt; dots in every circle now.</p>" in page
    rita.post("/review/2", outcome="fair", note="a dozen is easily counted")
    assert campaign.store.read(lambda c: pay.balances(c, cleo.id)).keys() == {"voided"}
    assert "<td>removed</td>" in cleo.get("/mine").text
    assert "It says something else: a dozen is easily counted" in lead.get("/lead/items/1").text
    assert cleo.begin("distractor") is None
    dan.contribute("distractor", response="No; because there are a hundred dots in every circle, now!")
    assert states(campaign) == ["done"]  # only the way it is written is another
    assert dan.post("/undo/6").headers["location"].startswith("/task/")  # what was decided came before


def test_a_flag_sent_twice_is_one_and_the_first_of_two_decisions_stands(opening):
    enter, campaign = opening("cosim", 1)
    ada, ben, rita = map(enter, ("ada", "ben", "rita"))
    ada.contribute("question")
    task = ben.begin("change")
    lease = campaign.store.read(lambda c: work.current_lease(c, ben.id, "change"))
    for _ in range(2):  # both come before either has answered
        campaign.store.write_now(lambda c: work.flag(c, campaign, lease, "unclear", "I cannot follow it", 1.0))
    again = ben.post(f"{task}/flag", flag_reason="unclear", flag_words="I cannot follow it")
    assert again.headers["location"].startswith("/work?flagged=1")
    (flag,) = campaign.store.read(lambda c: work.open_flags(c, rita.id))
    decided = [
        campaign.store.write_now(lambda c, fate=fate: work.decide(c, campaign, flag, rita.id, fate, "", 2.0))
        for fate in ("unfair", "fair")
    ]
    assert decided == [True, False]
    assert states(campaign) == ["open"]


def test_a_reviewer_does_not_judge_flags_about_their_own_work(opening):
    enter, _ = opening("cosim", 1)
    rita = enter("rita", "reviewer")
    rita.contribute("question")
    ben = enter("ben")
    ben.post(f"{ben.begin('change')}/flag", flag_reason="wrong", flag_words="this is quite wrong")
    assert "Nothing is waiting for you" in rita.get("/review").text
    assert rita.get("/review/1").status_code == 404


def test_a_reviewer_who_read_an_item_gets_no_blind_seat_of_it(opening):
    enter, _ = opening("cfmm", 1)
    ada, ben, rita = (enter(name, "reviewer") for name in ("ada", "ben", "rita"))
    ada.contribute("write")
    ben.contribute("blind")
    place = rita.post("/review/sample").headers["location"]
    rita.get(place)
    rita.post(place, outcome="returned", contribution="1", note="which circle do you mean?")
    ada.post(ada.begin("write"), **ANSWERS["cfmm/write"])
    assert rita.begin("blind") is None
    assert ben.begin("blind") is not None


def test_a_lead_who_looked_at_an_item_gets_no_blind_seat_of_it(opening):
    enter, _ = opening("verify", 1)
    enter("ada").contribute("verify")
    looking, working, slow = (enter(name, "lead") for name in ("lea", "lia", "lou"))
    assert looking.get("/lead/items/1").status_code == 200
    assert looking.begin("verify") is None
    task = slow.begin("verify")
    assert slow.get("/lead/items/1").status_code == 409  # not while it is theirs to answer
    slow.post(f"{task}/release")
    assert slow.get("/lead/items/1").status_code == 200
    assert slow.post(task, **ANSWERS["verify/verify"]).status_code == 409
    working.contribute("verify")
    assert working.get("/lead/items/1").status_code == 200
    assert working.post("/undo/2").status_code == 409


def test_a_faulty_form_comes_back_with_its_text_and_is_kept_as_a_draft(opening):
    enter, _ = opening("cosim", 1)
    ada = enter("ada")
    task = ada.begin("question")
    answer = ada.post(task, question="Would <b>this</b> be kept?")
    assert answer.status_code == 422
    assert "Would &lt;b&gt;this&lt;/b&gt; be kept?" in answer.text
    assert "“Justification” is missing." in answer.text
    assert "Would &lt;b&gt;this&lt;/b&gt; be kept?" in ada.get(task).text


def test_a_faulty_flag_does_not_empty_the_form_of_the_task(opening):
    enter, _ = opening("cosim", 1)
    enter("ada").contribute("question")
    ben = enter("ben")
    task = ben.begin("change")
    ben.post(f"{task}/draft", change="Add a hundred dots")
    answer = ben.post(f"{task}/flag", flag_reason="unclear", flag_words="no")
    assert (answer.status_code, "Add a hundred dots</textarea>" in answer.text) == (422, True)


def test_two_windows_with_different_texts_are_not_both_said_to_be_sent(opening):
    enter, campaign = opening("cfmm", 1)
    ada = enter("ada")
    page, fields = ada.begin("write"), ANSWERS["cfmm/write"]
    ada.post(page, **fields)
    assert ada.post(page, **fields).headers["location"] == "/work?sent=1"
    other = ada.post(page, **fields | {"basic": "How many circles are <b>red</b>?"})
    assert other.status_code == 409
    assert "was already sent" in other.text
    assert "How many circles are &lt;b&gt;red&lt;/b&gt;?" in other.text
    assert "<dt>Contributions</dt><dd>1</dd>" in ada.get("/work").text
    counts = campaign.store.read(lambda c: group_counts(c, campaign.flow))
    mended = ada.get(ada.post("/undo/1").headers["location"]).text
    assert "How many circles are &lt;b&gt;red&lt;/b&gt;?" in mended
    assert "<dt>Contributions</dt><dd>0</dd>" in ada.get("/work").text
    assert sum(counts.values()) == 1
    ada.post(page, **fields)
    campaign.store.write_now(lambda c: c.execute(tables.item.update().values(state="removed")))
    assert sum(campaign.store.read(lambda c: group_counts(c, campaign.flow)).values()) == 0


def test_a_pair_that_breaks_a_rule_is_sent_back(opening):
    leaks = "If I painted the circles blue, which color would they have?"
    enter, _ = opening("cfmm", 1)
    ada = enter("ada")
    task = ada.begin("write")
    for field, value, fault in (
        ("counterfactual", "How many circles would be left?", "State the difference as a condition: “If …, would …?”"),
        ("counterfactual", leaks, "The question names the answer (“blue”)"),
        ("option_b", "Blue", "“Option B” is the same as “Option A”"),
        ("aspect", "smell", "Choose one: Aspect"),
    ):
        pair = ANSWERS["cfmm/write"] | {"option_a": "blue", "option_b": "red", field: value}
        answer = ada.post(task, **pair)
        assert (answer.status_code, fault in answer.text) == (422, True), fault
