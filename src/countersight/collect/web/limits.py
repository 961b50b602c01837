"""How often something may be tried: passwords, invitations, checks against a model."""

import time
from collections import OrderedDict

_MOST_KEYS = 100_000


class Limiter:
    """Lets each key through so many times in so many seconds."""

    def __init__(self, tries: int, seconds: float) -> None:
        self._tries = tries
        self._seconds = seconds
        self._seen: OrderedDict[str, list[float]] = OrderedDict()

    def allows(self, key: str, now: float | None = None) -> bool:
        """Whether one more try is allowed; if so it counts."""
        now = time.monotonic() if now is None else now
        recent = [at for at in self._seen.pop(key, []) if now - at < self._seconds]
        allowed = len(recent) < self._tries
        if allowed:
            recent.append(now)
        self._seen[key] = recent
        while len(self._seen) > _MOST_KEYS:  # whoever makes up keys pushes out only the oldest
            self._seen.popitem(last=False)
        return allowed

    def take_back(self, key: str) -> None:
        """Let the last try not count: it was no guess."""
        if self._seen.get(key):
            self._seen[key].pop()

    def forget(self, key: str) -> None:
        """Begin anew for a key: the password was right."""
        self._seen.pop(key, None)
