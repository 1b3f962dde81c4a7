"""What the event loops are made of: compilation, addressed luck, records, heaps, queues and a calendar."""
