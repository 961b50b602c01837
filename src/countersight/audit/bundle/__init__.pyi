from .write import Sheets as Sheets
from .zipping import zip_bundle as zip_bundle
