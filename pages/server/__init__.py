"""What the server does beside showing pages: headers, health, measures, a log; nothing of it at each move."""
