"""Models in the place of annotators: how near they are to the people, and whether they could replace one of them.

Not here: the similarity of units (`alignment`, `measures.reference`), and coefficients of agreement (`measures`).
"""
