"""`python -m toolplan`."""

from toolplan.cli import main

main()
