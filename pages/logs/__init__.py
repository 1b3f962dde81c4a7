"""What Diagnose and What-if share: which history is looked at, its files, names and times as shown."""
