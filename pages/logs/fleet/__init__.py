"""The page Fleet: which of many logs lost most, and what to do first about them."""
