"""The page: settings, results and annotations of a corpus in the browser.

A worker aligns the current document and draws it with the renderer of files and reports (`look`, `fragments`).
`routes` sends the fragments. The scripts in ``static`` insert them, follow the events of a job, and update the address.
Not here: measuring, which is the work of jobs.
"""
