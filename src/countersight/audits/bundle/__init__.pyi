from .zipping import zip_bundle as zip_bundle
