from .application import application as application
