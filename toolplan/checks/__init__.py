"""What can be said about a domain and a plan beside the plan itself: lints that plan, test runs, explanations, drawings."""
