"""Measured and reported rows of every suite on one page that can be sorted."""

from countersight.leaderboard.write import LeaderboardFiles, write_leaderboard

__all__ = ["LeaderboardFiles", "write_leaderboard"]
