// The editor takes the place of the code block: same letters in the same places.
import { createEditor } from "prism-code-editor"
import { defaultKeymap, editorCommands } from "prism-code-editor/commands"
import layout from "prism-code-editor/layout.css"
import "prism-code-editor/languages/python"
import "prism-code-editor/prism/languages/python"

const sheet = new CSSStyleSheet()
sheet.replaceSync(layout)
document.adoptedStyleSheets.push(sheet)

let count = 0

export function edit(place, code, messages, edited, run) {
  const help = document.createElement("p")
  Object.assign(help, { className: "gv-live__help", id: `gv-live-help-${++count}`, textContent: messages.editor_help })
  const ready = () => (run(), true)
  const keys = { ...defaultKeymap, "Ctrl+Enter": ready, "Mod+Enter": ready }
  const options = { language: "python", tabSize: 4, lineNumbers: false, value: code }
  const editor = createEditor(null, options, editorCommands(keys))
  editor.textarea.ariaLabel = messages.editor
  editor.textarea.setAttribute("aria-describedby", help.id)
  editor.on("update", () => editor.focused && edited())
  // Who comes by the Tab key, or presses it, needs to see how to leave.
  editor.textarea.addEventListener("keyup", ({ key }) => key === "Tab" && place.classList.add("gv-live__code--tab"))
  editor.textarea.addEventListener("blur", () => place.classList.remove("gv-live__code--tab"))
  place.replaceChildren(editor.container, help)
  return {
    get value() {
      return editor.value
    },
    set value(text) {
      editor.setOptions({ value: text })
    },
  }
}
