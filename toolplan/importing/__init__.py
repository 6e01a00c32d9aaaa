"""What others wrote, brought into the language.

- `tools`: lists of real tools and OpenAPI documents; `linking`: which result fills which argument. `functions`: Python functions.
- `updating`: a changed server into an edited file. `files`: lists and documents as they are read and kept.
- `pddl`: problems of PDDL. `tree`: the syntax tree that all of these build.
"""
