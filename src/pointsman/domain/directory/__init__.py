"""Who is who, and whom a description means."""
