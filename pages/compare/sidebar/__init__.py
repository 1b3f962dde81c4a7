"""The sidebar of the Compare page: its widgets are drawn one by one, between other sessions' turns."""
