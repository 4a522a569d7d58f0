"""Following a project: where its newest annotations come from, and what is kept and said of each look at them.

`exports` reads a folder in which exports arrive, `label_studio` a project over the API of Label Studio. Both hand on a
`version.Version`; `looks` says what changed since the look before. `follower` measures what changed. What is printed is
in `cli.follow`, what the page shows in `service.followed`.
"""
