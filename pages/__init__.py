"""The pages of the app, one folder per page, and the modules that several of them share."""
