"""Stop or scale a gradient: `stop_gradient(x)` and `scale_gradient(x, scale)`.

There is a module for each framework, and only it imports its framework:

    from gradvalve.tensorflow import scale_gradient, stop_gradient
"""

from importlib.metadata import version

__all__ = ["__version__"]

__version__ = version("gradvalve")
