from .write import Sheets as Sheets
