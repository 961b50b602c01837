from .command import train_matcher as train_matcher
from .examples import Example as Example
from .examples import folds as folds
from .examples import read_examples as read_examples
from .examples import read_vcr as read_vcr
from .examples import with_negatives as with_negatives
from .plan import Objective as Objective
from .plan import Plan as Plan
