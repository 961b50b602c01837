from .serving import application as application
