"""The reference programmer: a small grammar of C-VQA-Synthetic's questions that writes programs without a model.

With eyes that see what is drawn, it is the ceiling of what programs can reach there.
"""
