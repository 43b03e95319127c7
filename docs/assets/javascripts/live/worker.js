// MicroPython in a worker. The first message brings the interpreter's bytes; each further one is a request to run code.
import { loadMicroPython } from "@micropython/micropython-webassembly-pyscript/micropython.mjs"
import drawing from "../../../../src/gradvalve/drawing.py"
import graph from "../../../../src/gradvalve/graph.py"
import graph_drawing from "../../../../src/gradvalve/graph_drawing.py"
import graph_layout from "../../../../src/gradvalve/graph_layout.py"
import live from "../../../../src/gradvalve/live.py"

const HEAP = 8 * 1024 * 1024 // bytes for Python's objects to begin with
const MEMORY = 128 * 1024 * 1024 // bytes for everything, at most
const MODULES = { drawing, graph, graph_drawing, graph_layout, live }
const RUN = `
import json, sys
sys.path.append("/")
from gradvalve import live
def run(request):
    request = json.loads(request)
    return json.dumps(live.run(request["source"], request["settings"], request["texts"]))
`

// A worker from an address would not be bound by the page's policy: examples get none.
delete self.Worker

let run

self.onmessage = async ({ data }) => {
  try {
    if (run) return postMessage(run(data))
    run = await boot(data)
    postMessage("ready")
  } catch (error) {
    postMessage({ error: String(error) })
  }
}

// MicroPython asks for more and more memory; when it gets none, it raises MemoryError.
const { grow } = WebAssembly.Memory.prototype
WebAssembly.Memory.prototype.grow = function (pages) {
  if (this.buffer.byteLength + pages * 65536 > MEMORY) throw new RangeError("too much memory")
  return grow.call(this, pages)
}

async function boot(interpreter) {
  // MicroPython fetches its bytes, and can't be given them in another way.
  const { fetch } = self
  self.fetch = async () => new Response(interpreter, { headers: { "Content-Type": "application/wasm" } })
  const python = await loadMicroPython({ heapsize: HEAP, url: "micropython.wasm" })
  self.fetch = fetch
  python.FS.mkdir("/gradvalve")
  for (const [name, code] of Object.entries(MODULES)) python.FS.writeFile(`/gradvalve/${name}.py`, code)
  python.runPython(RUN)
  return python.globals.get("run")
}
