"""The shell: the verbs of ``python -m sim``, the command that starts the app, and the MCP server."""
