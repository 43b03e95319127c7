// Turns TeX into MathML. Reads lines of JSON, each a list [[tex, displayed], …];
// answers each with a line of JSON, a list [{mathml} or {error}, …].
import { createInterface } from "node:readline"
import temml from "temml"

// A style attribute would break a content security policy, and browsers know this style by themselves.
const SURPLUS = ' style="display:block math;"'
// Search excerpts show a formula as TeX. On Arabic pages too it runs from left to right: hence the isolates.
const TEX = /(<annotation[^>]*>)(.*)(<\/annotation>)/s

function convert([tex, displayMode]) {
  try {
    const mathml = temml.renderToString(tex, { displayMode, throwOnError: true, annotate: true })
    return { mathml: mathml.replace(SURPLUS, "").replace(TEX, "$1\u2066$2\u2069$3") }
  } catch (error) {
    return { error: error.message }
  }
}

for await (const line of createInterface({ input: process.stdin })) {
  console.log(JSON.stringify(JSON.parse(line).map(convert)))
}
