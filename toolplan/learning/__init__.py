"""What runs of the past teach: which tool tends to follow, where its arguments come from, which contract is missing or wrong."""
