"""The benchmark of CMTF (arXiv 2606.06284), rebuilt over the domain `workspace`: 102 tasks, 100 tools, and models that really choose.

- `tasks`: what is asked for, and the chain of tools that reaches it; `environment`: what a call brings about.
- `menus`: which tools each method shows, and how; `choosers`: what takes one of them.
- `suite`: its arms, and a task as it stands; runs are made, kept and counted in `runs`.
"""
