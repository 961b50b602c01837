from .reviews import take_reviews as take_reviews
from .seal import zip_bundle as zip_bundle
from .write import Sheets as Sheets
