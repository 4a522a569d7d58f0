"""Problems and findings of annotations, and repairs by name.

`validate` is the entry point. A problem keeps `read` from returning a corpus: `read` raises the first, `validate` lists
all of them. A finding counts units, names or categories that may be intended or a mistake. A repair changes units in
memory. Not here: how files are read.
"""
