from .command import train as train
