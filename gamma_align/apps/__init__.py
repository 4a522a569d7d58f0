"""Applications: the command line (`cli`), and the HTTP API with the web interface (`service`).

`follow` has the projects that a command follows. The others render the options, problems and tables that other packages
declare. Not here: any computation. Nothing imports this package, and so it hands on no type.
"""
