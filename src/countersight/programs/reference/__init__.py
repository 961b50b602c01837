"""The reference programmer: a small grammar of C-VQA-Synthetic's questions that writes programs without a model.

With tools that see everything drawn, it shows the best score that programs can reach there.
"""
