from .boards import LeaderboardFiles as LeaderboardFiles
from .boards import write_leaderboard as write_leaderboard
