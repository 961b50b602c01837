from .composer import compose as compose
from .vocabulary import FILLER as FILLER
from .vocabulary import KINDS as KINDS
from .vocabulary import PLACES as PLACES
from .vocabulary import is_plural as is_plural
from .vocabulary import number_of as number_of
from .vocabulary import thing_of as thing_of
