"""The model in the loop (human and model in the loop: HAMLET): people write examples that it gets wrong."""

from .hamlet import ModelCheck as ModelCheck
from .hamlet import OwnRanker as OwnRanker
from .hamlet import answers_blind as answers_blind
from .hamlet import check as check
from .hamlet import open_loop as open_loop
from .ranker import train as train
