"""The work itself: what is given out, sent in, taken back, flagged and qualified for. Verbs over a connection."""

from countersight.collect.work.claiming import (
    Lease,
    claim,
    current_lease,
    free_expired,
    lease_by_token,
    look,
    open_leases,
    release,
    save_draft,
)
from countersight.collect.work.flagging import (
    FOUND,
    REASONS,
    Flag,
    count_open,
    decide,
    flag,
    flag_for,
    flags_of,
    open_flags,
)
from countersight.collect.work.items import add_items, finished_pasts, load_item, load_past
from countersight.collect.work.proposing import Proposal, commit_first_try, keep_proposal, proposal_of
from countersight.collect.work.qualifying import Result, Standing, reset, standing, take_test, tries_left
from countersight.collect.work.submitting import Evidence, Submitted, TakenError, submit
from countersight.collect.work.undoing import undo, undoable

__all__ = [
    "FOUND",
    "REASONS",
    "Evidence",
    "Flag",
    "Lease",
    "Proposal",
    "Result",
    "Standing",
    "Submitted",
    "TakenError",
    "add_items",
    "claim",
    "commit_first_try",
    "count_open",
    "current_lease",
    "decide",
    "finished_pasts",
    "flag",
    "flag_for",
    "flags_of",
    "free_expired",
    "keep_proposal",
    "lease_by_token",
    "load_item",
    "load_past",
    "look",
    "open_flags",
    "open_leases",
    "proposal_of",
    "release",
    "reset",
    "save_draft",
    "standing",
    "submit",
    "take_test",
    "tries_left",
    "undo",
    "undoable",
]
