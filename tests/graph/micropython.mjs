// Runs a Python file in MicroPython: node micropython.mjs FILE [NAME=FILE ...]
// Each further FILE lies on MicroPython's file system under NAME, from where it can be imported.
import { readFileSync } from "node:fs"
import { loadMicroPython } from "@micropython/micropython-webassembly-pyscript/micropython.mjs"

const [main, ...others] = process.argv.slice(2)
const micropython = await loadMicroPython({ heapsize: 64 * 1024 * 1024 })

for (const [name, file] of others.map((pair) => pair.split("="))) {
  const folders = name.split("/").slice(0, -1)
  folders.forEach((_, depth) => {
    const folder = "/" + folders.slice(0, depth + 1).join("/")
    if (!micropython.FS.analyzePath(folder).exists) micropython.FS.mkdir(folder)
  })
  micropython.FS.writeFile("/" + name, readFileSync(file))
}

try {
  micropython.runPython("import sys; sys.path.append('/')")
  micropython.runPython(readFileSync(main, "utf8"))
} catch (error) {
  console.error(error.message)
  process.exitCode = 1
}
