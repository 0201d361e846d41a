"""The referee of lessons that compute the same many times, to see what handing data over costs."""
