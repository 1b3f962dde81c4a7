"""Learn: lessons that ask for a prediction before they show the answer."""
