"""What a reply may claim, and how it is compared with what was done."""
