// Controls keep their elements from run to run, and with them the focus and a drag that goes on.
const field = control => control.querySelector?.("input, select")
const key = control => field(control).tagName + field(control).name

export function update(place, controls) {
  const present = new Map([...place.children].map(control => [key(control), control]))
  const wanted = [...controls].filter(field).map(control => refreshed(present.get(key(control)), control))
  for (const control of [...place.children]) if (!wanted.includes(control)) control.remove()
  wanted.forEach((control, i) => {
    if (place.children[i] !== control) place.insertBefore(control, place.children[i])
  })
}

function refreshed(control, fresh) {
  if (!control) return fresh
  const [old, wanted] = [field(control), field(fresh)]
  for (const { name, value } of wanted.attributes) old.setAttribute(name, value)
  const texts = options => [...options].map(({ value, text }) => [value, text]).join("\n")
  const { value } = wanted // options leave with theirs
  if (texts(old.options ?? []) !== texts(wanted.options ?? [])) old.replaceChildren(...wanted.children)
  old.value = value
  for (const part of ["span", "output"]) {
    control.querySelector(part)?.replaceChildren(fresh.querySelector(part)?.textContent ?? "")
  }
  return control
}

export function put(control, settings) {
  const { name } = field(control)
  if (Object.hasOwn(settings, name)) field(control).value = settings[name]
}

// The number beside a slider, until the run that follows has written it.
export function showValue(control, decimal) {
  const output = control.querySelector("output")
  if (output) output.textContent = field(control).value.replace("-", "−").replace(".", decimal)
}
