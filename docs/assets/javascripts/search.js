// Answers Material's search field with what Pagefind finds. Material starts this file as a worker. It sends
// {type: 0} at the start and {type: 2, data: query} for each query, and expects {type: 1} and {type: 3, data: {items}}.
const language = new URLSearchParams(location.search).get("language")
// Pagefind asks the page for its language, but a worker has no page.
self.document = { querySelector: () => ({ getAttribute: () => language }) }

const PAGES = 10
const SECTIONS = 3 // shown below each page; further ones unfold

let latest
self.onmessage = async ({ data: { type, data: query } }) => {
  if (type === 0) postMessage({ type: 1 })
  if (type !== 2) return
  latest = query
  const items = query.trim() ? await find(query) : []
  if (query === latest) postMessage({ type: 3, data: { items } })
}

async function find(query) {
  const pagefind = await import("../../pagefind/pagefind.js") // loaded with the first query, not with the page
  let { results } = await pagefind.search(query)
  // Accents, umlauts and hamza may be missing from a query; only the French ligature has to be tried.
  if (!results.length) ({ results } = await pagefind.search(query.replace(/oe/gi, "œ")))
  const pages = await Promise.all(results.slice(0, PAGES).map(result => result.data()))
  return pages.filter(page => resembles(page, query)).map(page => {
    // What stands before the first section belongs to the page itself.
    const sections = page.sub_results.filter(section => section.anchor && section.anchor.element !== "h1")
    return [
      item(page.url, page.meta.title, page.excerpt, 1),
      ...sections.map((section, i) => item(section.url, section.title, section.excerpt, i < SECTIONS ? 1 : 0)),
    ]
  })
}

// Where a word stands nowhere, Pagefind goes on with its first letters; one letter of seven is no result.
function resembles(page, query) {
  const letters = word => word.replace(/[^\p{L}\p{N}]/gu, "").length
  const longest = Math.max(...query.split(/\s+/).map(letters))
  const excerpts = [page, ...page.sub_results].map(part => part.excerpt).join()
  return [...excerpts.matchAll(/<mark>(.*?)<\/mark>/g)].some(([, word]) => letters(word) > longest / 3)
}

// Material sets title and text as HTML; Pagefind's excerpts are that already.
function item(location, title, text, score) {
  return { location, title: title.replaceAll("&", "&amp;").replaceAll("<", "&lt;"), text, score, terms: {} }
}
