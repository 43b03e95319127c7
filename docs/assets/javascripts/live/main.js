// Makes the live examples of a page live: editor, controls, buttons. The interpreter is loaded when one is first used.
import { put, showValue, update } from "./controls.js"
import { edit } from "./editor.js"
import { isReady, renew, run } from "./runner.js"
import { addressOf, stateIn } from "./state.js"
import { nodesOf, textOf } from "./tree.js"

const SLOW = 100 // milliseconds after which a run shows that it goes on
const QUIET = 600 // milliseconds without a new output before it is announced
const ANNOUNCED = 300 // characters
const SHOWN = 3000 // milliseconds for a message that makes way for the state again

const examples = [...document.querySelectorAll(".gv-live")].map(start)
restore()
addEventListener("hashchange", restore)

// What a link says is put in its place, but runs only when the reader asks for it.
async function restore() {
  const state = await stateIn(location.hash)
  examples.find(({ name }) => name === state?.example)?.restore(state)
}

function start(root) {
  const [code, controls, note, output, status, data] = ["code", "controls", "note", "output", "status", "data"].map(part =>
    root.querySelector(`.gv-live__${part}`),
  )
  const { source, texts, messages } = JSON.parse(data.textContent)
  const name = root.dataset.example
  const published = [controls, output].map(part => part.cloneNode(true))
  const editor = edit(code, source.trimEnd(), messages, () => mark("not_run"), runCode)
  reach(output)
  let settings = {} // of the controls that the reader has touched, by their names
  let latest = 0 // counts what the reader has asked for
  let lastReset = 0
  let later // a timer

  function mark(state) {
    root.dataset.state = state
    note.textContent = messages[state] ?? ""
  }

  function say(message) {
    const state = root.dataset.state
    note.textContent = status.textContent = messages[message]
    setTimeout(() => root.dataset.state === state && mark(state), SHOWN)
  }

  async function runCode() {
    const number = ++latest
    const ran = editor.value
    const slow = setTimeout(() => number > lastReset && mark(isReady() ? "running" : "loading"), SLOW)
    const result = await run(root, { source: ran, settings, texts })
    clearTimeout(slow)
    if (!result || number < lastReset) return
    show(result)
    if (number < latest) return // the reader is further on: the controls stay where they are
    if (result.controls) update(controls, nodesOf(result.controls))
    mark(editor.value === ran ? "ran" : "not_run")
  }

  function show({ output: trees = [], error, problem }) {
    output.replaceChildren(...nodesOf(trees))
    if (error) output.append(...nodesOf([["pre", { class: "gv-error", dir: "ltr" }, [error]]]))
    if (problem) output.append(...nodesOf([["p", { class: "gv-error" }, [messages[problem]]]]))
    reach(output)
    clearTimeout(later)
    later = setTimeout(() => (status.textContent = textOf(output).slice(0, ANNOUNCED)), QUIET)
  }

  function reset() {
    lastReset = ++latest
    clearTimeout(later)
    settings = {}
    editor.value = source.trimEnd()
    const [publishedControls, publishedOutput] = published.map(part => part.cloneNode(true).childNodes)
    update(controls, publishedControls)
    output.replaceChildren(...publishedOutput)
    reach(output)
    mark("published")
  }

  const actions = {
    run: runCode,
    reset() {
      reset()
      renew() // code may have changed the modules that it imported
      if (location.hash.startsWith("#live=")) history.replaceState(history.state, "", location.pathname + location.search)
    },
    async copy() {
      say((await copied(editor.value)) ? "copied" : "not_copied")
    },
    async link() {
      const changed = editor.value === source.trimEnd() ? undefined : editor.value
      const address = await addressOf({ example: name, code: changed, settings })
      if (!address) return say("link_too_long")
      history.replaceState(history.state, "", address)
      say((await copied(address)) ? "linked" : "not_copied")
    },
  }

  root.addEventListener("click", ({ target }) => actions[target.closest("[data-action]")?.dataset.action]?.())
  root.addEventListener("input", ({ target }) => {
    if (!controls.contains(target)) return
    settings = { ...settings, [target.name]: target.value }
    showValue(target.parentNode, texts.decimal)
    runCode()
  })

  return {
    name,
    restore(state) {
      reset()
      settings = state.settings
      editor.value = state.code ?? editor.value
      for (const control of controls.children) {
        put(control, settings)
        showValue(control, texts.decimal)
      }
      mark("not_run")
      root.scrollIntoView()
    },
  }
}

// What scrolls sideways has to be reached by the keyboard.
function reach(output) {
  for (const box of [output, ...output.children]) {
    if (box.scrollWidth > box.clientWidth) box.tabIndex = 0
    else box.removeAttribute("tabindex")
  }
}

async function copied(text) {
  try {
    await navigator.clipboard.writeText(text)
    return true
  } catch {
    return false // an insecure connection, or the reader's settings
  }
}
