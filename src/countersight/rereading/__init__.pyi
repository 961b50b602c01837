from .reader import JOURNAL as JOURNAL
from .reader import Rereading as Rereading
from .reader import reread as reread
from .reader import reread_async as reread_async
from .request import second_answer as second_answer
from .request import second_request as second_request
from .tables import rereading_grid as rereading_grid
from .tables import write_rereadings as write_rereadings
