"""The charts of the Compare page that no other page has, a file each."""
