// The state of an example in the fragment of the address: #live= and base64url of the deflated JSON.
const START = "#live="
const LONGEST = 8 * 1024 // characters of a fragment
const LARGEST = 32 * 1024 // bytes of JSON

// Returns the address of this page with the state in it, or undefined if that is too long.
export async function addressOf(state) {
  const json = new Blob([JSON.stringify(state)])
  const bytes = await all(json.stream().pipeThrough(new CompressionStream("deflate-raw")), LONGEST)
  if (json.size > LARGEST || !bytes) return
  const fragment = START + btoa(String.fromCharCode(...bytes)).replace(/[+/=]/g, sign => ({ "+": "-", "/": "_" })[sign] ?? "")
  if (fragment.length <= LONGEST) return location.href.split("#")[0] + fragment
}

// Returns the state in a fragment, or undefined if there is none that is whole.
export async function stateIn(fragment) {
  if (!fragment.startsWith(START) || fragment.length > LONGEST) return
  try {
    const text = atob(fragment.slice(START.length).replace(/[-_]/g, sign => ({ "-": "+", _: "/" })[sign]))
    const deflated = new Blob([Uint8Array.from(text, letter => letter.charCodeAt())])
    const bytes = await all(deflated.stream().pipeThrough(new DecompressionStream("deflate-raw")), LARGEST)
    const state = JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(bytes))
    if (isState(state)) return state
  } catch {
    // Cut, mistyped or made up: the page stays as it is.
  }
}

// Reads no further than the limit, whatever would still come.
async function all(stream, limit) {
  const parts = []
  let size = 0
  for (const reader = stream.getReader(); ; ) {
    const { done, value } = await reader.read()
    if (done) break
    size += value.length
    if (size > limit) return reader.cancel()
    parts.push(value)
  }
  return new Uint8Array(await new Blob(parts).arrayBuffer())
}

const isText = value => typeof value === "string"

function isState({ example, code, settings }) {
  return isText(example) && (code === undefined || isText(code)) && Object.values(settings).every(isText)
}
