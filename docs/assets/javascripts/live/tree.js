// Turns what an example has put out into elements. An example may send anything: what is not on these lists is left out.
const HTML = new Set("p pre code table caption thead tbody tr th td label span input select option output div".split(" "))
const SVG = new Set("svg g path line polyline polygon rect circle text tspan title".split(" "))
const ATTRIBUTES = new Set(
  ("class viewBox width height x y x1 y1 x2 y2 cx cy r rx d points transform text-anchor stroke-width direction dir role " +
    "aria-label scope type name min max step value selected tabindex").split(" "),
)

// Takes trees as src/gradvalve/live.py makes them: a string, or [tag, {attribute: string}, [tree, …]].
export function nodesOf(trees) {
  if (!Array.isArray(trees)) return []
  return trees.map(nodeOf).filter(node => node)
}

function nodeOf(tree) {
  if (typeof tree === "string") return document.createTextNode(tree)
  const [tag, attributes, children] = Array.isArray(tree) ? tree : []
  if (!(HTML.has(tag) || SVG.has(tag)) || !Object.entries(attributes ?? {}).every(isAllowed)) return
  const element = SVG.has(tag)
    ? document.createElementNS("http://www.w3.org/2000/svg", tag)
    : document.createElement(tag)
  for (const [name, value] of Object.entries(attributes ?? {})) element.setAttribute(name, value)
  element.append(...nodesOf(children))
  return element
}

function isAllowed([name, value]) {
  if (!ATTRIBUTES.has(name) || typeof value !== "string") return false
  if (name === "class") return value.split(" ").every(each => !each || each.startsWith("gv-"))
  return name !== "type" || value === "range" // no field that asks for a password
}

// What a screen reader would say of the element's content.
export function textOf(element) {
  if (element.ariaLabel) return element.ariaLabel
  if (!element.children?.length) return element.textContent
  return [...element.children].map(textOf).join(" ")
}
