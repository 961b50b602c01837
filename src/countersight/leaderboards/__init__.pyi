from .write import LeaderboardFiles as LeaderboardFiles
from .write import write_leaderboard as write_leaderboard
