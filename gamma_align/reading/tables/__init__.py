"""Tables as formats: CSV, TSV, Parquet, pygamma-agreement's CSV, tables of items.

Not here: data frames, and what columns mean for a corpus (`data.tables`).
"""
