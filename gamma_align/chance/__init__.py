"""What annotators would do by chance: random continua and how many of them it takes."""
