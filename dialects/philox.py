"""Philox4x32-10 in numbers; apart from the op, since eager code loads no xDSL."""

MULTIPLIERS = (0xD2511F53, 0xCD9E8D57)
"""Of the two products of a round."""
WEYL = (0x9E3779B9, 0xBB67AE85)
"""What a round adds to the two words of the key."""
ROUNDS = 10
