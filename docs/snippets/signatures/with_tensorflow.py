import inspect

from gradvalve import tensorflow

for name in ("stop_gradient", "scale_gradient"):
    print(f"{name}{inspect.signature(getattr(tensorflow, name))}")
