from .seal import zip_bundle as zip_bundle
