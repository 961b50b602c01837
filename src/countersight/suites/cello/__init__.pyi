from .files import NAME as NAME
from .files import export_jsonl as export_jsonl
from .making import PER_TASK as PER_TASK
from .making import SIZE as SIZE
