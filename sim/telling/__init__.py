"""How anything is said or drawn, whatever shows it: charts and numbers in words."""
