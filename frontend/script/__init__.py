"""Script mode: plain Python source is rewritten so that control flow on traced values is kept."""
