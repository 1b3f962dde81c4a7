"""The page Map: which policy wins where, over two fields."""
