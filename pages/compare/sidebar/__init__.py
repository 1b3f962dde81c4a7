"""The sidebar of the Compare page: a widget for each control, drawn when there is time for it."""
