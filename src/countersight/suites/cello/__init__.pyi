from .files import export_jsonl as export_jsonl
from .making import PER_TASK as PER_TASK
from .making import SIZE as SIZE
from .making import make_cello as make_cello
from .suite import NAME as NAME
