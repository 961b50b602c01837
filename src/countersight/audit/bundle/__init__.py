"""The bundle of an audit: everything that others need to follow, check and sign it, under one seal."""

from countersight.audit.bundle.sessions import begin_session
from countersight.audit.bundle.verify import verify

__all__ = ["begin_session", "verify"]
