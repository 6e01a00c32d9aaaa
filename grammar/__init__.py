"""The grammar of the toolplan language, as data: read `toolplan.lark` with `importlib.resources`."""
