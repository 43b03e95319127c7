"""Files of the site that don't lie in docs/."""

from pathlib import Path

from mkdocs.structure.files import File

from gradvalve_site import bundle, fonts, ipynb, wheel

ROOT = Path(__file__).resolve().parents[2]
PLOTLY = "assets/javascripts/plotly-basic.min.js"
MICROPYTHON = "node_modules/@micropython/micropython-webassembly-pyscript"
FIXED = {
    # Beside a file tensorflow.py, a program would import that instead of TensorFlow.
    "downloads/gradvalve_tensorflow.py": "src/gradvalve/tensorflow.py",
    "downloads/gradvalve_keras.py": "src/gradvalve/keras.py",
    "downloads/gradvalve_jax.py": "src/gradvalve/jax.py",
    "downloads/gradvalve_torch.py": "src/gradvalve/torch.py",
    "downloads/gradvalve_graph.py": "src/gradvalve/graph.py",
    PLOTLY: "node_modules/plotly.js-basic-dist-min/plotly-basic.min.js",
    "assets/javascripts/micropython.wasm": f"{MICROPYTHON}/micropython.wasm",
}
BINDER = "downloads/notebooks/binder/"


def add(files, config):
    """Add fonts, scripts and downloads; pages link to them as if they lay in docs/."""
    paths = {address: ROOT / path for address, path in FIXED.items()}
    paths |= {f"assets/fonts/{path.name}": path for path in fonts.provide(ROOT)}
    paths |= {f"assets/javascripts/{path.name}": path for path in bundle.provide(ROOT)}
    paths[wheel.ADDRESS] = wheel.provide(ROOT)
    for address, path in paths.items():
        files.append(File.generated(config, address, abs_src_path=str(path)))
    for name, content in ipynb.for_binder(config).items():
        files.append(File.generated(config, BINDER + name, content=content))
