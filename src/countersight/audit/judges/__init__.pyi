from .registry import JUDGES as JUDGES
