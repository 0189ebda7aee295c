// no code
