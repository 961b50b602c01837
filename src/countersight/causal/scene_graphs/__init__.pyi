from .reading import files_of as files_of
