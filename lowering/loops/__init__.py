"""`kernels-to-loops`, by part: loop nests, access to buffers, bodies, kinds of kernels."""
