"""What the Decentralised page says: cards and tables, what to notice, what the paper reports."""
