"""`kernels-to-loops`, by part: loop nests, access to buffers, bodies, and a file a kind of kernel."""
