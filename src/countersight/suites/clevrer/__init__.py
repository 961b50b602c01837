"""CLEVRER: questions of collisions in videos, shown as frames."""
