from .reviews import take_reviews as take_reviews
from .write import Sheets as Sheets
from .zipping import zip_bundle as zip_bundle
