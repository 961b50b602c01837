"""The kit of all pages: markup, document, grids, words; knows neither runs nor audits."""
