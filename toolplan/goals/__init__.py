"""From what the user said to what the user wants: candidate goals, doubt, and the question that is worth asking."""
