// Runs live examples in MicroPython: a request on each line of the input, its result on a line of the output.
// node interpreter.mjs FOLDER: the package's modules are the files in this folder.
import { readFileSync } from "node:fs"
import { createInterface } from "node:readline"
import { loadMicroPython } from "@micropython/micropython-webassembly-pyscript/micropython.mjs"

const folder = process.argv[2]
const micropython = await loadMicroPython({ heapsize: 64 * 1024 * 1024 })
micropython.FS.mkdir("/gradvalve")
for (const name of ["drawing.py", "graph.py", "graph_drawing.py", "graph_layout.py", "live.py"]) {
  micropython.FS.writeFile(`/gradvalve/${name}`, readFileSync(`${folder}/${name}`))
}
micropython.runPython(`
import json, sys
sys.path.append("/")
from gradvalve import live
def run(request):
    return json.dumps(live.run(*json.loads(request)))
`)
const run = micropython.globals.get("run")
for await (const line of createInterface({ input: process.stdin })) console.log(run(line))
