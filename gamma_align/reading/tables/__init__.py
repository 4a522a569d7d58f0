"""Tables as formats: CSV, TSV, Parquet, pygamma-agreement's CSV, tables of items.

Not here: data frames, and the meaning of columns for a corpus (`data.tables`).
"""
