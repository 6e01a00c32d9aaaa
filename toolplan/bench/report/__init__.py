"""The report of stored runs: a page of Markdown and one of HTML, made of nothing but the runs."""
