"""What the console's pages ask for."""
