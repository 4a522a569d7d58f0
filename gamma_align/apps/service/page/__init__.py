"""The page: settings, results and annotations of a corpus in the browser.

A worker aligns the document that is looked at and draws it with the renderer of files and reports (`look`,
`fragments`); `routes` hands the fragments out; scripts in ``static`` put them in place, follow a job's events, and keep
the address. Not here: measuring, which jobs of the service do, and whose result the page shows.
"""
