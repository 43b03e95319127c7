// Runs examples in MicroPython, in a worker: one at a time, each for so long and no longer.
const LIMIT = 2000 // milliseconds for a run
const START = 10_000 // milliseconds for the interpreter to start
const DOWNLOAD = 60_000 // milliseconds for its files to arrive
const LONGEST = 2_000_000 // characters of a result
const TIMEOUT = Symbol("timeout")

const waiting = new Map() // for each example the request whose turn comes next
let running = false
let files // a promise of the interpreter, which stays in memory: later workers start without the network
let worker
let started // a promise, fulfilled when the worker can run code
let ready = false

export const isReady = () => ready

// Returns a promise of the result, or of undefined if the same example asks again before its turn comes.
export function run(example, request) {
  waiting.get(example)?.resolve()
  return new Promise(resolve => {
    waiting.set(example, { request, resolve })
    if (!running) work()
  })
}

// Puts a fresh interpreter in the place of an idle one.
export function renew() {
  if (started && !running) restart()
}

async function work() {
  running = true
  while (waiting.size) {
    const problem = await startProblem()
    const [[example, { request, resolve }]] = waiting // only now: the latest
    waiting.delete(example)
    resolve(problem ?? (await resultOf(request)))
  }
  running = false
}

async function resultOf(request) {
  try {
    const text = await answer(JSON.stringify(request), LIMIT)
    if (text.length > LONGEST) return { problem: "too_much" }
    return Object(JSON.parse(text))
  } catch (reason) {
    restart() // now, so that the next run need not wait
    if (reason === TIMEOUT) return { problem: "time_limit" }
    console.error(reason)
    return { problem: "failure" }
  }
}

function start() {
  started ??= boot()
  return started
}

function restart() {
  stop()
  startProblem()
}

async function startProblem() {
  const own = start()
  try {
    await own
  } catch (reason) {
    if (own !== started) return startProblem() // another worker has taken its place
    console.error(reason)
    stop()
    return { problem: "boot_failure" }
  }
}

function stop() {
  worker?.terminate()
  worker = started = undefined
  ready = false
}

async function boot() {
  files ??= load()
  files.catch(() => (files = undefined)) // the next run tries again
  const [script, interpreter] = await files
  // From a blob, because a worker from an address would not be bound by the page's content security policy.
  worker = new Worker(script, { type: "module" })
  await answer(interpreter, START)
  ready = true
}

async function load() {
  const signal = AbortSignal.timeout(DOWNLOAD)
  const [script, interpreter] = await Promise.all(
    ["live-worker.js", "micropython.wasm"].map(async name => {
      const response = await fetch(new URL(name, import.meta.url), { signal })
      if (!response.ok) throw new Error(`${response.url}: ${response.status}`)
      return response.arrayBuffer()
    }),
  )
  return [URL.createObjectURL(new Blob([script], { type: "text/javascript" })), interpreter]
}

// Returns a promise of the worker's next message, if that is a text.
function answer(message, limit) {
  const { promise, resolve, reject } = Promise.withResolvers()
  const timer = setTimeout(reject, limit, TIMEOUT)
  worker.onmessage = ({ data }) => (typeof data === "string" ? resolve(data) : reject(data))
  worker.onerror = reject
  worker.postMessage(message)
  return promise.finally(() => clearTimeout(timer))
}
