"""Parts of charts: axes, colours, margins, and serialised figures."""
