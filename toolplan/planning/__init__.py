"""A domain, a state and a goal to a plan that is proved to be of least score."""
