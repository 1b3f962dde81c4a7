"""The parts of the event loops: compilation, addressed luck, records, heaps, queues and a calendar."""
