// Turns TeX into MathML. Reads lines of JSON, each a list [[tex, displayed], …];
// answers each with a line of JSON, a list [{mathml} or {error}, …].
import { createInterface } from "node:readline"
import temml from "temml"

// A style attribute would break a content security policy, and browsers know this style by themselves.
const SURPLUS = ' style="display:block math;"'
const TEX = /<annotation[^>]*>(.*)<\/annotation>/s
// Search excerpts show a formula as text: 1/K instead of \tfrac1K. A command without a sign here keeps its name.
const PLAIN = [
  [/\\[td]?frac\s*(\w|{[^{}]*})\s*(\w|{[^{}]*})/g, "$1/$2"],
  [/\\(left|right)\b|\\[,;!]/g, ""],
  [/\\(cdot|dots|le|infty|sqrt|delta)(?![a-zA-Z])\s*/g, (_, name) => ({ cdot: "· ", dots: "… ", le: "≤ ", infty: "∞", sqrt: "√", delta: "δ" })[name]],
  [/[{}\\]/g, ""],
]

// On Arabic pages too it runs from left to right: hence the isolates.
function annotation(tex) {
  const text = PLAIN.reduce((text, [pattern, sign]) => text.replace(pattern, sign), tex).trim()
  return `<annotation encoding="text/plain">\u2066${text}\u2069</annotation>`
}

function convert([tex, displayMode]) {
  try {
    const mathml = temml.renderToString(tex, { displayMode, throwOnError: true, annotate: true })
    return { mathml: mathml.replace(SURPLUS, "").replace(TEX, (_, tex) => annotation(tex)) }
  } catch (error) {
    return { error: error.message }
  }
}

for await (const line of createInterface({ input: process.stdin })) {
  console.log(JSON.stringify(JSON.parse(line).map(convert)))
}
