from .templates import TEMPLATES as TEMPLATES
