from .write import write_leaderboard as write_leaderboard
