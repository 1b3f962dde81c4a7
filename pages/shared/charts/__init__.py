"""Parts of charts: axes, colours, margins, and figures as they are sent."""
